"""What a receiver of webhooks does with a delivery, in Python 3 without packages. Copy it into your own code.

One function per signature scheme; any of them is enough. `headers` has names in lower case, `body` is the bytes as
received, `now` is in Unix seconds. None of them de-duplicates: a delivery may come twice, so keep the ids of the events.
"""

import base64
import hashlib
import hmac

TOLERANCE_SECONDS = 300
MEMBER = b',"signature":"'


def verify_webhook_signature(headers, body, secret, now):
    """`X-Webhook-Signature`: over the time and the body without its last member `signature`; nothing is parsed."""
    parts = headers.get("x-webhook-signature", "").split(",")
    time = next((part[2:] for part in parts if part.startswith("t=")), "")
    if not _is_recent(time, now):
        return False
    start = body.rfind(MEMBER)
    end = body.find(b'"', start + len(MEMBER))
    if start < 0 or end < 0:
        return False
    unsigned = body[:start] + body[end + 1 :]
    expected = "v1=" + _hmac(secret.encode(), f"{time}.".encode() + unsigned).hex()
    return any(hmac.compare_digest(part.encode(), expected.encode()) for part in parts)


def verify_service_signature(headers, body, secret):
    """`X-Service-Signature`, or during a rotation `X-Service-Signature-Previous`: over the body. Carries no time."""
    expected = "sha256=" + _hmac(secret.encode(), body).hex()
    signatures = [headers.get("x-service-signature", ""), *headers.get("x-service-signature-previous", "").split(",")]
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in signatures)


def verify_standard_webhook(headers, body, secret, now):
    """`webhook-signature` of Standard Webhooks 1.0: over id, time and body, with the decoded part of the secret."""
    time = headers.get("webhook-timestamp", "")
    if not _is_recent(time, now):
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id')}.{time}.".encode() + body
    expected = "v1," + base64.b64encode(_hmac(key, signed)).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in signatures)


def _hmac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def _is_recent(time, now):
    return len(time) < 13 and time.isascii() and time.isdigit() and abs(now - int(time)) <= TOLERANCE_SECONDS
