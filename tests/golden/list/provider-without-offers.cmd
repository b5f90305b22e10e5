providers show hetzner
