providers show acecloud -o json
