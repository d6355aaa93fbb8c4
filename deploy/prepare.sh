#!/bin/sh
# What has to be done once before the other parts of a new version start; safe to run again.
set -eu
python manage.py migrate --noinput --verbosity 0
python manage.py collectstatic --noinput --verbosity 0
if [ -n "${S3_BUCKET:-}" ]; then python deploy/make_bucket.py; fi
