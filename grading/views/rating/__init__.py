"""What raters see: invitation, consent, checks, practice, and the form."""
