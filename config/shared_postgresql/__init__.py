"""Django's PostgreSQL backend, with connections that threads hand on to each other."""
