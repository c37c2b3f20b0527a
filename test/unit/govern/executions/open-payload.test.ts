// Payloads of artifacts outside of executions; those of executions are tested over HTTP.
import { beforeEach, expect, test } from 'vitest'
import { artifactKey, newArtifact } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { hex, payloadCommitment } from '../../../../shared/ledger/evidence/artifact/hashes.ts'
import { openArtifactPayload } from '../../../../shared/govern/executions/sealed/open-payload.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import { sealPayload } from '../../../../shared/ledger/sealing/seal.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { toAttributes } from '../../../../shared/base/table/entity.ts'
import { facts, foundedWorld, SPACE, TABLE, type World } from '../../ledger/evidence/world.ts'

const PAYLOAD = { note: 'reviewed', amount: 12.5 }

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

/** An artifact with a payload of its own. `stored` stands in for it behind the service's back. */
async function sealed(stored: object = PAYLOAD): Promise<string> {
  const draft = newArtifact(it.ctx, facts())
  const salted = await sealPayload(SPACE, artifactKey(SPACE, draft.artifact_id), 'sealed', PAYLOAD)
  const artifact = newArtifact(it.ctx, facts({ payload_commitment: salted.commitment }))
  await it.ctx.table.commit(commitWith(it.ctx, [{ artifact }]))
  const place = artifactKey(SPACE, artifact.artifact_id)
  const text = await sealPayload(SPACE, place, 'sealed', stored)
  const commitment = stored === PAYLOAD ? text.commitment : salted.commitment
  const header = artifact.header.replace(salted.commitment, commitment)
  it.table.tamper(TABLE, place, (item) => ({ ...item, ...toAttributes({ sealed: text.sealed, header }) }))
  return artifact.artifact_id
}

test('payload and salt meet the commitment of the header, and having looked is an artifact', async () => {
  const id = await sealed()
  const { payload, salt, payload_commitment } = await openArtifactPayload(it.ctx, id)

  expect(payload).toEqual(PAYLOAD)
  expect(hex(payloadCommitment(Buffer.from(salt, 'hex'), payload))).toBe(payload_commitment)
  expect(it.ctx.table.committed.at(-1)).toBe('evidence.payload.opened')
})

test('409: a payload that the artifact does not commit to is not shown', async () => {
  const id = await sealed({ note: 'another' })

  await expect(openArtifactPayload(it.ctx, id)).rejects.toMatchObject({
    kind: 'conflict',
    detail: 'The stored payload does not match the commitment of the artifact. Verify the evidence of this tenant.',
  })
})

test('409: an erased payload is not shown', async () => {
  const artifact = newArtifact(it.ctx, facts({ payload_commitment: 'a'.repeat(64) }))
  await it.ctx.table.commit(commitWith(it.ctx, [{ artifact }]))

  await expect(openArtifactPayload(it.ctx, artifact.artifact_id)).rejects.toMatchObject({
    detail: 'The payload was erased. Nobody can read it any more.',
  })
})

test('404: an artifact without a payload', async () => {
  const artifact = newArtifact(it.ctx, facts())
  await it.ctx.table.commit(commitWith(it.ctx, [{ artifact }]))

  await expect(openArtifactPayload(it.ctx, artifact.artifact_id)).rejects.toMatchObject({
    kind: 'not_found',
    detail: 'payload not found',
  })
})

test('nothing is shown when having looked cannot be recorded', async () => {
  const id = await sealed()
  it.table.hooks.before = ({ name }) => {
    if (name === 'TransactWriteItems') throw new Error('down')
  }

  await expect(openArtifactPayload(it.ctx, id)).rejects.toThrow('down')
})

test('503: the tenant’s key does not answer', async () => {
  const id = await sealed()
  coldStart()
  it.kms.down = true

  await expect(openArtifactPayload(it.ctx, id)).rejects.toMatchObject({ kind: 'unavailable' })
})
