env: COLUMNS=80
recommend --task finetune --model sovits --pareto --limit 3
