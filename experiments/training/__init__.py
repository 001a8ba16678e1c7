"""Learners: environments for them.  Nothing here is imported without the extra ``train``."""
