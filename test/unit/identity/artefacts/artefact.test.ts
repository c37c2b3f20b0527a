import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Artefact, named, openPayload, sealPayload } from '../../../../shared/identity/artefacts/artefact.ts'

const payload = { accountId: 'usr_1', scope: 'openid' }
const stored = (id: string): Artefact => ({
  ...named('RefreshToken', id),
  sealed: sealPayload('RefreshToken', id, payload, randomBytes),
  exp: 1,
})

test('a payload opens with the id that it was put under', () => {
  expect(openPayload('id-1', stored('id-1'))).toEqual(payload)
})

test('without the id it does not open, nor in the place of another', () => {
  const item = stored('id-1')

  expect(() => openPayload('id-2', item)).toThrow()
  expect(() => openPayload('id-1', { ...item, ...named('RefreshToken', 'id-2') })).toThrow()
  expect(() => openPayload('id-1', { ...item, model: 'AuthorizationCode' })).toThrow()
})

test('neither the id nor the payload can be read from the item', () => {
  const { sealed, ...open } = stored('id-1')
  const text = JSON.stringify(open) + Buffer.from(sealed).toString('latin1')

  expect(text).not.toContain('id-1')
  expect(text).not.toContain('usr_1')
})
