/**
 * Key and certificate of a tenant's service provider, valid from `now` (ms) for ten years. Identity providers only compare the
 * certificate with the configured one.
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
