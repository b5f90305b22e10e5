models show sovits -o json --fields id,licence
