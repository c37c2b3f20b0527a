/**
 * Key and certificate of a tenant's service provider. Identity providers compare the certificate with the one they were
 * given and look at nothing else in it; it is valid from `now` (ms) for ten years.
 */
export async function newSpKey(tenant_id: string, now: number): Promise<{ certificate: string; private_key: string }> {
  const { generate } = await import('selfsigned') // only a first configuration needs it
  const made = await generate([{ name: 'commonName', value: tenant_id }], {
    keyType: 'rsa',
    keySize: 2_048,
    algorithm: 'sha256',
    notBeforeDate: new Date(now),
    notAfterDate: new Date(now + TEN_YEARS_MS),
  })
  return { certificate: made.cert, private_key: made.private }
}

const TEN_YEARS_MS = 10 * 365 * 86_400_000
