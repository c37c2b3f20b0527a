// Every way of tampering that the evidence promises to find, at the first, a middle and the last artifact of a thousand:
// found by verification, and never signed over.
import { generateKeyPairSync, sign } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { artifactKey } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { checkpointKey, genesisKey } from '../../../../shared/ledger/evidence/chain/chain.ts'
import { checkpoint } from '../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { objectKey } from '../../../../shared/ledger/evidence/checkpoint/checkpoint-store.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { verifyChain } from '../../../../shared/ledger/evidence/verify/verify.ts'
import { noteKey, signedNote } from '../../../../shared/ledger/evidence/checkpoint/note.ts'
import type { Context } from '../../../../shared/base/context.ts'
import {
  cutTail,
  editAndRehash,
  editEntries,
  editHead,
  editHeader,
  insertStray,
  remove,
  removeBlock,
  rewriteFrom,
  swap,
} from './tampering.ts'
import { foundedWorld, recordMany, SPACE, TABLE, type World } from './world.ts'

const SIZE = 1_000
const SIGNED = 800
const BLOCK = 200

let it: World
let ids: string[]
let items: ReturnType<World['table']['items']>
let objects: Map<string, string>

/** Five blocks of 200 artifacts: checkpoints at 400 and 800, the last block unsigned. */
beforeAll(async () => {
  it = await foundedWorld()
  ids = []
  for (let block = 1; block <= SIZE / BLOCK; block += 1) {
    ids.push(...(await recordMany(it.ctx, BLOCK)))
    await sequence(it.ctx)
    it.clock.moveTo(it.clock.now() + 60_000)
    if (block === 2 || block === 4) await checkpoint(it.ctx)
  }
  items = it.table.items(TABLE)
  objects = new Map(it.s3.objects)
})

/** Everything as it was before the last test. */
beforeEach(() => {
  const known = new Set(items.map(nameOf))
  for (const item of it.table.items(TABLE)) {
    if (!known.has(nameOf(item))) it.table.tamper(TABLE, keyOf(item), () => undefined)
  }
  for (const item of items) it.table.tamper(TABLE, keyOf(item), () => item)
  it.s3.objects.clear()
  for (const [key, text] of objects) it.s3.objects.set(key, text)
})

type Item = (typeof items)[number]
const keyOf = ({ pk, sk }: Item) => ({ pk: pk?.S ?? '', sk: sk?.S ?? '' })
const nameOf = (item: Item) => Object.values(keyOf(item)).join('\n')

const id = (index: number) => ids[index] ?? ''
const found = async () => !(await verifyChain(it.ctx, 'api')).chain_valid
const signedSizes = () => [...it.s3.objects.keys()].filter((key) => key.startsWith('checkpoints/')).length

const PLACES = [
  ['first', 0],
  ['middle', SIZE / 2],
  ['last', SIZE - 1],
] as const

const AT_A_PLACE: [string, (at: number) => void][] = [
  ['change a field', (at) => void editHeader(it, id(at))],
  ['change and re-hash', (at) => editAndRehash(it, id(at))],
  ['delete', (at) => remove(it, id(at))],
  [
    'duplicate',
    (at) =>
      editEntries(it, blockOf(at), (all) => all.map((one, i) => (i === inBlock(at) ? (all[i ? 0 : 1] ?? one) : one))),
  ],
  ['swap', (at) => swap(it, id(at), id(at === 0 ? 1 : at - 1))],
  ['swap with a far one', (at) => swap(it, id(at), id((at + SIZE / 2) % SIZE))],
  ['insert beside the chain', (at) => void insertStray(it, id(at))],
  [
    'insert into a block',
    (at) => editEntries(it, blockOf(at), (all) => all.flatMap((one, i) => (i === inBlock(at) ? [one, one] : [one]))),
  ],
  ['rewrite from there on with right hashes', (at) => rewriteFrom(it, blockOf(at))],
]
const blockOf = (at: number) => Math.floor(at / BLOCK) + 1
const inBlock = (at: number) => at % BLOCK

describe.each(PLACES)('at the %s artifact', (_, at) => {
  test.each(AT_A_PLACE)('%s: found', async (what, tamper) => {
    tamper(at)
    // Behind the last checkpoint right hashes are all there is: what was not signed yet can be rewritten.
    const unsigned = what.startsWith('rewrite') && at >= SIGNED

    expect(await found()).toBe(!unsigned)
  })
})

describe('behind the last checkpoint', () => {
  test.each(AT_A_PLACE.slice(0, -1))('%s: never signed', async (_, tamper) => {
    tamper(SIZE - 1)
    it.clock.moveTo(it.clock.now() + 60_000)

    expect(await checkpoint(it.ctx)).toBe('refused')
    expect(signedSizes()).toBe(2)
  })
})

const OF_THE_WHOLE: [string, () => unknown][] = [
  ['cut the unsigned tail without the head', () => removeBlock(it, 5)],
  ['cut the tail below the checkpoint, head included', () => [cutTail(it), cutTail(it)]],
  ['rewrite everything and the head', () => rewriteFrom(it, 1)],
  ['set the head back', () => editHead(it, { size: SIGNED, last_block: 4, finalized: 4 })],
  [
    'change the genesis',
    () => it.table.tamper(TABLE, genesisKey(SPACE), (item) => ({ ...item, key_spki_sha256: { S: '0' } })),
  ],
  [
    'change the size in a note',
    () => editObject(SIGNED, (text) => text.replace(String.raw`\n${SIGNED}\n`, String.raw`\n${SIGNED - 1}\n`)),
  ],
  [
    'put the object under another size',
    () => it.s3.objects.set(objectKey(SPACE, 801), objects.get(objectKey(SPACE, SIGNED)) ?? ''),
  ],
  [
    'swap two checkpoints of the bucket',
    () => [
      editObject(400, () => objects.get(objectKey(SPACE, 800)) ?? ''),
      editObject(800, () => objects.get(objectKey(SPACE, 400)) ?? ''),
    ],
  ],
  ['swap two checkpoints of the table', swapItems],
  [
    'change the frontier of a checkpoint',
    () => editObject(SIGNED, (text) => text.replace(/"frontier":\["./, '"frontier":["x')),
  ],
  ['delete a checkpoint of the bucket', () => it.s3.objects.delete(objectKey(SPACE, SIGNED))],
]

const editObject = (size: number, edit: (text: string) => string) =>
  it.s3.objects.set(objectKey(SPACE, size), edit(objects.get(objectKey(SPACE, size)) ?? ''))

function swapItems(): void {
  const [a, b] = [checkpointKey(SPACE, 400), checkpointKey(SPACE, SIGNED)]
  const [first, second] = [it.table.item(TABLE, a), it.table.item(TABLE, b)]
  it.table.tamper(TABLE, a, ({ pk, sk }) => ({ ...second, ...(pk && sk && { pk, sk }) }))
  it.table.tamper(TABLE, b, ({ pk, sk }) => ({ ...first, ...(pk && sk && { pk, sk }) }))
}

describe('of the whole chain', () => {
  test.each(OF_THE_WHOLE)('%s: found', async (_, tamper) => {
    tamper()

    expect(await found()).toBe(true)
  })
})

describe('a checkpoint that others signed', () => {
  test('the key of another deployment under our name: found', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = noteKey(
      `countersign.example/${SPACE.tenant_id}/live`,
      publicKey.export({ format: 'der', type: 'spki' }),
    )
    const object: { note: string } = JSON.parse(objects.get(objectKey(SPACE, SIGNED)) ?? '')
    const text = object.note.slice(0, object.note.indexOf('\n\n') + 1)
    const note = signedNote(text, [{ key, signature: sign('sha256', Buffer.from(text), privateKey) }])
    it.s3.objects.set(objectKey(SPACE, SIGNED), JSON.stringify({ ...object, note }))

    expect(await found()).toBe(true)
  })

  test('the note of our other chain under the name of this one: found', async () => {
    const other: Context = { ...it.ctx, space: { ...SPACE, mode: 'test' } }
    await recordMany(other, 3)
    await sequence(other)
    await checkpoint(other)
    const object = it.s3.objects.get(objectKey(other.space, 3)) ?? ''
    it.s3.objects.set(objectKey(SPACE, SIGNED), object)

    expect(await found()).toBe(true)
  })
})

test('untouched it is valid', async () => {
  expect(await found()).toBe(false)
  expect(it.table.item(TABLE, artifactKey(SPACE, id(0)))).toBeDefined()
})
