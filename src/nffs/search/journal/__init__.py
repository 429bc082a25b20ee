"""Every evaluation on disk the moment it is done."""
