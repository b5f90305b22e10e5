accuracy -o names
