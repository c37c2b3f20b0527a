import { describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../../../shared/deliver/integrations/catalogue/catalogue.ts'
import { CATALOGUE_IDS } from '../../../../shared/deliver/integrations/catalogue/ids.ts'
import { convert } from '../../../../shared/deliver/integrations/openapi/convert.ts'
import { readDocument } from '../../../../shared/deliver/integrations/openapi/read-document.ts'

test('the ids are those of the catalogue', () => {
  expect(CATALOGUE.map(({ id }) => id)).toEqual(CATALOGUE_IDS)
})

describe.each(CATALOGUE.map((provider) => [provider.id, provider] as const))('%s', (_, provider) => {
  const { oauth, base_url, params = [], document, models, sites } = provider

  test('is reached over https, at addresses whose variables are known', () => {
    const known = new Set([...params.map(({ name }) => name), ...(sites ? [sites.param] : []), 'instance_url'])
    for (const address of [oauth.authorization_url, oauth.token_url, oauth.revoke_url ?? oauth.token_url, base_url]) {
      expect(address.startsWith('https://') || address === '{instance_url}').toBe(true)
      for (const [, name] of address.matchAll(/\{(\w+)\}/g)) expect(known).toContain(name)
    }
  })

  test('publishes 6 to 15 operations, none of them skipped or simplified', async () => {
    const { operations, skipped } = convert(await readDocument(JSON.stringify(document)), provider.id)
    expect(skipped).toEqual([])
    expect(operations.filter(({ simplified }) => simplified)).toEqual([])
    expect(operations.length).toBeGreaterThanOrEqual(6)
    expect(operations.length).toBeLessThanOrEqual(15)
    for (const { endpoint, operation } of operations) {
      if (operation.startsWith('DELETE')) expect(endpoint.min_tier).toBe('HARD')
    }
  })

  test('has lists to copy', () => {
    expect(models.length).toBeGreaterThan(0)
    expect(new Set(models.map(({ name }) => name)).size).toBe(models.length)
  })
})
