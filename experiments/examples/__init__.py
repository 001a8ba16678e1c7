"""Other people's ways to train on the environments, one file each.  They need the extra ``train``."""
