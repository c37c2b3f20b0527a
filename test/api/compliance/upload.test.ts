// Files of submitted evidence. The local S3 checks announced hashes but no signatures, so leaving the headers out stands
// for an object that came there by another way.
import { beforeEach, describe, expect, test } from 'vitest'
import { compliance } from '../../../functions/compliance/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { bodyOf } from '../../support/any-route.ts'
import type { Reply } from '../../support/call.ts'
import { withoutIds } from '../../support/error-body.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { personWith } from '../../support/people.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE = 60_000
const BYTES = Buffer.from('canary-content: all accounts were reviewed')
const OTHER = Buffer.from('canary-content: no accounts were reviewed!')
const FILE = { name: 'canary-name.pdf', content_type: 'application/pdf', sha256: sha256Hex(BYTES), size: BYTES.length }

const local = useLocalStack()
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const announce = (file: object = FILE, headers = {}) =>
  acme.call(compliance.submitEvidence, {
    params: { tenant_id: acme.tenant_id },
    body: { ...bodyOf(compliance.submitEvidence), file },
    headers,
  })
const at = (id: string, { tenant_id } = acme) => ({ params: { tenant_id, id } })
const complete = (id: string) => acme.call(compliance.completeUpload, at(id))
const read = (id: string) => acme.call(compliance.getEvidence, at(id))
const artifactTypes = async () =>
  (await acme.call(evidence.latest, { query: { type: 'compliance.*' } })).body.items.map(
    ({ type }: { type: string }) => type,
  )

/** Puts bytes as the answer says, or without its headers. */
async function put({ body: { upload } }: Reply, bytes: Uint8Array<ArrayBuffer>, { bare = false } = {}) {
  const { status } = await fetch(upload.url, {
    method: upload.method,
    ...(!bare && { headers: upload.headers }),
    body: bytes,
  })
  return status
}

/** What the bucket says of the object itself: 200 or 404. */
async function stored({ body: { upload } }: Reply): Promise<number> {
  const { origin, pathname } = new URL(upload.url)
  return (await fetch(`${origin}${pathname}`)).status
}

describe('a file', () => {
  test('that matches is accepted, with its own artifact and event', async () => {
    const announced = await announce()
    expect(announced).toMatchObject({ status: 201, body: { status: 'awaiting_upload', file: FILE } })
    expect(await put(announced, BYTES)).toBe(200)
    const { id } = announced.body
    const done = await complete(id)
    await local.drain()
    const told = await acme.call(events.list, { query: { types: 'evidence.emitted' } })

    expect(done).toMatchObject({ status: 200, body: { status: 'submitted', file: FILE } })
    expect((await read(id)).body).toMatchObject(done.body)
    expect(await artifactTypes()).toEqual(['compliance.evidence.submitted', 'compliance.evidence.announced'])
    expect(JSON.stringify(told.body)).toContain(done.body.evidence_artifact_id)
  })

  test('leaves neither its name nor its content in artifacts and events', async () => {
    const announced = await announce()
    await put(announced, BYTES)
    await complete(announced.body.id)
    await local.drain()
    const shown = await Promise.all([
      acme.call(evidence.latest, { query: { type: 'compliance.*' } }),
      acme.call(evidence.get, { params: { id: announced.body.evidence_artifact_id } }),
      acme.call(events.list, {}),
    ])
    const text = JSON.stringify(shown.map(({ body }) => body))

    expect(text).toContain(FILE.sha256)
    expect(text).not.toContain('canary')
  })

  test('with another hash never gets into the bucket by the address as it was given', async () => {
    const announced = await announce()

    expect(await put(announced, OTHER)).toBe(400)
    expect((await complete(announced.body.id)).body.detail).toBe('The file has not been uploaded. Upload it first.')
  })

  test.each([
    ['another hash', OTHER],
    ['another size', BYTES.subarray(1)],
    ['no content', Buffer.alloc(0)],
  ])('with %s is refused and removed, and nothing is recorded of it', async (_, bytes) => {
    const announced = await announce()
    await put(announced, bytes, { bare: true })
    const { id } = announced.body
    const refused = await complete(id)

    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('The uploaded file was removed') },
    })
    expect((await complete(id)).body.detail).toBe('The file has not been uploaded. Upload it first.')
    expect((await read(id)).body).toMatchObject({ status: 'awaiting_upload' })
    expect(await artifactTypes()).toEqual(['compliance.evidence.announced'])
  })

  test('may come after one that was refused', async () => {
    const announced = await announce()
    await put(announced, OTHER, { bare: true })
    await complete(announced.body.id)
    await put(announced, BYTES)

    expect(await complete(announced.body.id)).toMatchObject({ status: 200, body: { status: 'submitted' } })
  })

  test('that was not uploaded is not accepted', async () => {
    const { body } = await announce()

    expect(await complete(body.id)).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })

  test('is accepted once, however often and at once that is asked for', async () => {
    const announced = await announce()
    await put(announced, BYTES)
    const { id } = announced.body
    const replies = [...(await Promise.all([complete(id), complete(id), complete(id)])), await complete(id)]

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(replies.map(({ body }) => body.evidence_artifact_id)).size).toBe(1)
    expect(await artifactTypes()).toEqual(['compliance.evidence.submitted', 'compliance.evidence.announced'])
  })

  test('that does not come within a day is rejected', async () => {
    const announced = await announce()
    await local.advance(24 * 60 * MINUTE)
    const { id } = announced.body

    expect((await read(id)).body).toMatchObject({ status: 'rejected' })
    expect(await complete(id)).toMatchObject({
      status: 409,
      body: { detail: 'You cannot change the status from rejected to submitted.' },
    })
  })

  test('that was not handed in is removed, and its rejection becomes evidence, once', async () => {
    const announced = await announce()
    const handedIn = await announce()
    for (const one of [announced, handedIn]) await put(one, BYTES)
    await complete(handedIn.body.id)
    await local.advance(24 * 60 * MINUTE)
    await local.sweep()
    expect(await stored(announced)).toBe(200) // an address from the last moment may still be in use

    await local.advance(61 * MINUTE)
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await local.sweep()
    expect([await stored(announced), await stored(handedIn)]).toEqual([404, 200])
    expect((await read(announced.body.id)).body).toMatchObject({ status: 'rejected' })
    expect((await read(handedIn.body.id)).body).toMatchObject({ status: 'submitted' })
    expect((await artifactTypes()).filter((type: string) => type.endsWith('rejected'))).toHaveLength(1)
  })
})

describe('the file of submitted evidence', () => {
  /** The key is the owner's, so somebody else decides. */
  const decide = async (id: string) => {
    const auditor = await personWith(local, await signIn(local, acme.owner), ['auditor'])
    const body = { decision: 'accepted', reason: 'It is the review.' }
    return auditor.call(compliance.decideEvidence, { ...at(id), body })
  }
  const share = (id: string) => acme.call(compliance.shareEvidence, at(id))

  async function submitted(file: object = FILE) {
    const announced = await announce(file)
    await put(announced, BYTES)
    await complete(announced.body.id)
    return announced
  }

  test('can be accepted and downloaded as it was submitted', async () => {
    const { id } = (await submitted()).body
    const [decided, shared] = [await decide(id), await share(id)]
    await local.drain()
    const told = await acme.call(events.list, { query: { types: 'artifact.shared' } })
    const file = await fetch(shared.body.download_url)

    expect(decided).toMatchObject({ status: 200, body: { status: 'accepted', version: 3 } })
    expect(shared).toMatchObject({ status: 200, body: { sha256: FILE.sha256 } })
    expect(Buffer.from(await file.arrayBuffer())).toEqual(BYTES)
    expect(told.body.items).toMatchObject([{ data: { resource_id: id, shared_with: 'presigned_url' } }])
  })

  test('can be neither accepted nor downloaded once somebody has replaced it in the bucket', async () => {
    const announced = await submitted()
    const { id } = announced.body
    await put(announced, OTHER, { bare: true })

    expect(await decide(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('stored file') } })
    expect((await share(id)).status).toBe(409)
    expect((await read(id)).body).toMatchObject({ status: 'submitted' })
  })

  test.each([
    ['../../etc/"pass wd.pdf', `attachment; filename="_pass_wd.pdf"; filename*=UTF-8''_pass%20wd.pdf`],
    ['監査.pdf', `attachment; filename="__.pdf"; filename*=UTF-8''%E7%9B%A3%E6%9F%BB.pdf`],
  ])('%j has a name that is safe wherever it is saved, in its own script', async (name, header) => {
    const { id } = (await submitted({ ...FILE, name })).body
    const { body } = await share(id)
    const file = await fetch(body.download_url)

    expect(file.headers.get('content-disposition')).toBe(header)
  })

  test('is not there before it was uploaded, nor for evidence without one', async () => {
    const { id } = (await announce()).body
    expect((await share(id)).status).toBe(409)

    await local.advance(24 * 60 * MINUTE)
    expect((await share(id)).status).toBe(404)
  })
})

describe('the address of an upload', () => {
  test('works for a quarter of an hour; repeating the request with its key gives a new one', async () => {
    const key = { 'idempotency-key': 'review-1' }
    const first = await announce(FILE, key)
    await local.advance(15 * MINUTE + 1_000)
    expect(await put(first, BYTES)).toBe(403)
    const second = await announce(FILE, key)

    expect(second).toMatchObject({ status: 201, body: { id: first.body.id, status: 'awaiting_upload' } })
    expect(await put(second, BYTES)).toBe(200)
    expect(await complete(first.body.id)).toMatchObject({ status: 200 })
    expect((await announce(FILE, key)).body).not.toHaveProperty('upload')
  })
})

describe('POST …/evidence/{id}/complete', () => {
  test('404: another tenant’s submission looks exactly like a missing one, and stays as it is', async () => {
    const announced = await announce()
    await put(announced, BYTES)
    const { id } = announced.body
    const stranger = await local.tenant()
    const [theirs, missing] = await Promise.all(
      [id, 'evd_01JD3Q8Z5N0A2C4E6G8J0M2P4R'].map((one) => stranger.call(compliance.completeUpload, at(one, stranger))),
    )

    expect(theirs?.status).toBe(404)
    expect(theirs && withoutIds(theirs)).toEqual(missing && withoutIds(missing))
    expect((await read(id)).body).toMatchObject({ status: 'awaiting_upload' })
  })

  test('200: what needs no file is answered as it is', async () => {
    const { tenant_id } = acme
    const body = {
      ...bodyOf(compliance.submitEvidence),
      source: 'statement',
      file: null,
      statement: 'All was reviewed.',
    }
    const submitted = await acme.call(compliance.submitEvidence, { params: { tenant_id }, body })

    expect(await complete(submitted.body.id)).toMatchObject({ status: 200, body: submitted.body })
  })
})
