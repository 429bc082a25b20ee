"""What the user gave: named encoded columns and a target."""
