"""The client's own Ed25519 against RFC 8032's vectors and against the library the server signs with."""

from __future__ import annotations

import hashlib

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.client.program import load

client = load()
ORDER = 2**252 + 27742317777372353535851937790883648493

# RFC 8032, 7.1: TEST 1, TEST 2, TEST 3, TEST SHA(abc)
VECTORS = {
    "1": (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9"
            "b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    "2": (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f1"
            "1d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    "3": (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984d"
            "c6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
    "SHA(abc)": (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        hashlib.sha512(b"abc").hexdigest(),
        (
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431"
            "e0303dca179c138ac17ad9bef1177331a704"
        ),
    ),
}
messages = st.binary(max_size=300)
seeds = st.binary(min_size=32, max_size=32)


@pytest.mark.parametrize("name", VECTORS)
def test_the_vectors_of_the_rfc_hold_and_a_changed_bit_does_not(name: str) -> None:
    key, message, signature = map(bytes.fromhex, VECTORS[name])
    assert client.ed25519_holds(key, message, signature)
    assert not client.ed25519_holds(key, message + b"\0", signature)
    for place in (0, 31, 32, 63):
        spoilt = bytearray(signature)
        spoilt[place] ^= 1
        assert not client.ed25519_holds(key, message, bytes(spoilt))


@given(seed=seeds, message=messages)
@settings(max_examples=20)
def test_what_the_library_signs_holds_for_its_own_key_alone(seed: bytes, message: bytes) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    other = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed).digest())
    public, signature = private.public_key().public_bytes_raw(), private.sign(message)
    assert client.ed25519_holds(public, message, signature)
    assert not client.ed25519_holds(other.public_key().public_bytes_raw(), message, signature)


@given(seed=seeds, message=messages, place=st.integers(0, 511))
@settings(max_examples=20)
def test_both_agree_on_signatures_with_one_bit_changed(
    seed: bytes, message: bytes, place: int
) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key().public_bytes_raw()
    signature = bytearray(private.sign(message))
    signature[place // 8] ^= 1 << place % 8
    assert client.ed25519_holds(public, message, bytes(signature)) is by_library(
        public, message, bytes(signature)
    )


def by_library(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def test_a_signature_is_not_malleable() -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public, signature = private.public_key().public_bytes_raw(), private.sign(b"receipt")
    scalar = int.from_bytes(signature[32:], "little") + ORDER
    moved = signature[:32] + scalar.to_bytes(32, "little")
    assert not client.ed25519_holds(public, b"receipt", moved)
    assert not by_library(public, b"receipt", moved)


@pytest.mark.parametrize(
    "key",
    [
        b"",
        b"\0" * 31,
        b"\0" * 33,
        (2).to_bytes(32, "little"),  # no point of the curve has this y
        (2**255 - 19).to_bytes(32, "little"),  # zero, not in its shortest form
        (1 | 1 << 255).to_bytes(32, "little"),  # x is zero and cannot be odd
        b"\xff" * 32,
    ],
)
def test_bytes_that_are_no_point_are_no_key(key: bytes) -> None:
    assert client.decoded_point(key) is None
    assert not client.ed25519_holds(key, b"", b"\0" * 64)


@pytest.mark.parametrize("signature", [b"", b"\0" * 63, b"\0" * 65, b"\xff" * 64])
def test_bytes_that_are_no_signature_do_not_hold(signature: bytes) -> None:
    key = bytes.fromhex(VECTORS["1"][0])
    assert not client.ed25519_holds(key, b"", signature)
