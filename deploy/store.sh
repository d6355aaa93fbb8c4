#!/bin/sh
# The store of compose.yaml: one account, whose keys come from the environment.
set -eu
umask 077
cat >/tmp/s3.json <<TEXT
{"identities": [{"name": "plaudit",
  "credentials": [{"accessKey": "$S3_ACCESS_KEY", "secretKey": "$S3_SECRET_KEY"}],
  "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}
TEXT
exec weed server -dir=/data -ip.bind=0.0.0.0 -s3 -s3.port=8333 -s3.config=/tmp/s3.json
