providers show vast
