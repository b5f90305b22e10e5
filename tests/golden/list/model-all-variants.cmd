models show vits
