"""Makes the bucket that S3_BUCKET names, where it is not there yet."""

from __future__ import annotations

import os

import boto3
from botocore.exceptions import ClientError

THERE = {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}


def main() -> None:
    """Make the bucket; one that is there already is left alone."""
    client = boto3.client(
        "s3",
        endpoint_url=os.environ.get("S3_ENDPOINT_URL") or None,
        region_name=os.environ.get("S3_REGION", "us-east-1"),
        aws_access_key_id=os.environ["S3_ACCESS_KEY"],
        aws_secret_access_key=os.environ["S3_SECRET_KEY"],
    )
    try:
        client.create_bucket(Bucket=os.environ["S3_BUCKET"])
    except ClientError as error:
        if error.response["Error"]["Code"] not in THERE:
            raise


if __name__ == "__main__":
    main()
