// One call of an AWS JSON service without the SDK, to create tables and read the stream. The signature is a fixed text,
// because the local services require one and do not verify it.

/** `name` is AWS's error name without its namespace, e.g. `ResourceInUseException`. */
export class AwsCallError extends Error {
  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

/** Headers in place of a signature. */
export const FIXED_SIGNATURE = {
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
}

/** `target` is `<service>_<version>.<operation>`. The caller gives the documented type of the answer. */
export type AwsCall = <Answer = unknown>(target: string, input: object) => Promise<Answer>

export const awsCaller =
  (endpoint: string): AwsCall =>
  (target, input) =>
    awsCall(endpoint, target, input)

async function awsCall<Answer>(endpoint: string, target: string, input: object): Promise<Answer> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': target,
      ...FIXED_SIGNATURE,
    },
    body: JSON.stringify(input),
  })
  const answer = JSON.parse(await response.text())
  if (response.ok) return answer
  const name: string = answer['__type'] ?? 'UnknownError'
  throw new AwsCallError(name.split('#').at(-1) ?? name, answer.message ?? '')
}
