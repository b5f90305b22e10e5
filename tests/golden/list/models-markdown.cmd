models list -o markdown --fields id,default_variant,licence.commercial,basis.memory.training
