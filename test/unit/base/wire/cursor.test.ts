import { beforeAll, describe, expect, test } from 'vitest'
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { Failure } from '../../../../shared/base/lib/failure.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { type CursorScope, readCursor, writeCursor } from '../../../../shared/base/wire/cursor.ts'
import { intercept } from '../../../support/intercept.ts'

const secret = (root: string, former?: { root: string; until: string }) => {
  coldStart()
  const previous_root = former && { value: former.root.repeat(44), until: former.until }
  const pepper = { id: 'p', value: 'p'.repeat(32) }
  const SecretString = JSON.stringify({ root: root.repeat(44), pepper, previous_root })
  resetClients([(client) => intercept(client, async () => ({ SecretString }))])
}

const scope: CursorScope = {
  space: { tenant_id: 'ten_1', mode: 'live' },
  operation: 'things-list',
  filters: { status: 'open', sort: undefined },
}
const position = { group: '2026-11', sort: 'exe_01JD0000000000000000000001', total: 12, bounded: false }

let cursor: string
beforeAll(async () => {
  Object.assign(process.env, { SECRET_ID: 's', AWS_REGION: 'm', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' })
  secret('r')
  cursor = await writeCursor(scope, position)
})

async function refusalOf(text: string, of = scope): Promise<Failure | undefined> {
  try {
    await readCursor(of, text)
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

const refused = {
  status: 400,
  detail: 'The cursor is not valid for this list. Start again without a cursor.',
  options: { code: 'invalid_cursor' },
}

test('a cursor gives its position back', async () => {
  expect(await readCursor(scope, cursor)).toEqual(position)
  expect(cursor).toMatch(/^[\w-]+\.[\w-]{22}$/)
  const unusual = { ...position, group: 'größe', sort: 'a"b\\c\u2028', bounded: true }
  expect(await readCursor(scope, await writeCursor(scope, unusual))).toEqual(unusual)
})

test('absent filters are the same as undefined ones', async () => {
  expect(await readCursor({ ...scope, filters: { status: 'open' } }, cursor)).toEqual(position)
})

describe('one refusal in one text', () => {
  test('for every changed character', async () => {
    for (let at = 0; at < cursor.length; at += 1) {
      for (const other of ['A', 'B', '.', '=', ' ', '_']) {
        if (other === cursor[at]) continue
        const changed = cursor.slice(0, at) + other + cursor.slice(at + 1)
        expect(await refusalOf(changed), `${other} at ${at}`).toMatchObject(refused)
      }
    }
  })

  test('for every cut', async () => {
    for (let length = 0; length < cursor.length; length += 1) {
      expect(await refusalOf(cursor.slice(0, length)), `first ${length}`).toMatchObject(refused)
      expect(await refusalOf(cursor.slice(cursor.length - length)), `last ${length}`).toMatchObject(refused)
    }
  })

  test('for another spelling of the same bytes', async () => {
    const [payload = '', tag = ''] = cursor.split('.')
    const standard = (text: string) => Buffer.from(text, 'base64url').toString('base64')

    for (const text of [
      `${standard(payload)}.${tag}`,
      `${payload}.${standard(tag)}`,
      `${cursor}=`,
      `${cursor}.`,
      ` ${cursor}`,
    ]) {
      if (text !== cursor) expect(await refusalOf(text), text).toMatchObject(refused)
    }
  })

  test.each<[string, Partial<CursorScope>]>([
    ['another tenant', { space: { tenant_id: 'ten_2', mode: 'live' } }],
    ['the other mode', { space: { tenant_id: 'ten_1', mode: 'test' } }],
    ['another operation', { operation: 'things-list-all' }],
    ['another filter value', { filters: { status: 'closed' } }],
    ['a filter less', { filters: {} }],
    ['a filter more', { filters: { status: 'open', sort: 'risk' } }],
  ])('for %s', async (_, change) => {
    expect(await refusalOf(cursor, { ...scope, ...change })).toMatchObject(refused)
  })

  test('for one that the client made itself', async () => {
    const own = Buffer.from(JSON.stringify({ v: 1, o: 'things-list', f: '', k: ['a', 'b'], n: 0, b: false })).toString(
      'base64url',
    )

    for (const tag of ['', 'AAAAAAAAAAAAAAAAAAAAAA', cursor.split('.')[1]]) {
      expect(await refusalOf(`${own}.${tag}`)).toMatchObject(refused)
    }
  })

  test('for one of another deployment', async () => {
    secret('x')
    expect(await refusalOf(cursor)).toMatchObject(refused)
    secret('r')
    expect(await refusalOf(cursor)).toBeUndefined()
  })

  test('made under the former secret, once its days are over', async () => {
    secret('n', { root: 'r', until: '2999-01-01T00:00:00Z' })
    expect(await refusalOf(cursor)).toBeUndefined()
    expect(await writeCursor(scope, position)).not.toBe(cursor)
    secret('n', { root: 'r', until: '2026-01-01T00:00:00Z' })
    expect(await refusalOf(cursor)).toMatchObject(refused)
    secret('r')
  })
})
