#!/bin/sh
# Once, when the database is empty: the application's role, which has rights to rows and owns nothing.
set -eu
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 \
  --set password="$PLAUDIT_PASSWORD" <<'SQL'
CREATE ROLE plaudit LOGIN PASSWORD :'password';
SQL
