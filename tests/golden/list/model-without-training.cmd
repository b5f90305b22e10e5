models show bark
