models show so-vits-svc -o wide
