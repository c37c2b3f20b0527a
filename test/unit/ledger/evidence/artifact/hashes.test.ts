import { describe, expect, test } from 'vitest'
import {
  artifactHash,
  chainName,
  genesisLink,
  hex,
  link,
  payloadCommitment,
  publicHash,
} from '../../../../../shared/ledger/evidence/artifact/hashes.ts'
import { append, leafHash, rootOf } from '../../../../../shared/ledger/evidence/chain/merkle.ts'
import { canonicalJson } from '../../../../../shared/base/lib/json.ts'

const chain = chainName({ tenant_id: 'ten_01J9Z3K4M5N6P7Q8R9S0T1V2W3', mode: 'live' })
const genesis = {
  chain,
  created_at: '2026-11-20T00:00:00.000Z',
  key_spki_sha256: 'a4c2803c081c975c1d50f7b26d48becbaaf25fe9aa171528a6077f201c88e164',
  origin: 'countersign.example',
}
const header = (artifact_id: string, type: string) =>
  canonicalJson({ v: 1, artifact_id, chain, type, occurred_at: '2026-11-20T10:00:00.000Z' })

describe('the vectors of the evidence format', () => {
  test('the genesis link follows from chain, origin, time and signing key', () => {
    expect(hex(genesisLink(genesis))).toBe('04af349b82d4b18c5249f05e285f1a042da777bbaa69f74aaf009c2e1d52ed28')
  })

  test('a payload commitment covers salt and canonical payload', () => {
    const payload = { to: 'team', amount: 12.5, text: 'é€' }

    expect(canonicalJson(payload)).toBe('{"amount":12.5,"text":"é€","to":"team"}')
    expect(hex(payloadCommitment(new Uint8Array(32).fill(7), payload))).toBe(
      '948ab2bd137b6f1b7f976ad45d0c169d1baeef8a71a9bcaaeaf8582b48955967',
    )
  })

  test('two artifacts have the published hashes, links and roots', () => {
    const first = artifactHash(header('art_01JD0000000000000000000001', 'protocol.executed'))
    const second = artifactHash(header('art_01JD0000000000000000000002', 'action.requested'))
    const link0 = link(chain, 0, genesisLink(genesis), first)
    const link1 = link(chain, 1, link0, second)
    const one = append([], 0, leafHash(link0))
    const two = append(one, 1, leafHash(link1))

    expect(publicHash(first)).toBe('sha256:4040a50fd479d54a4568e2e375f61b1c575ef88fb6f2211083d087dbd609c542')
    expect(hex(link0)).toBe('d38b47366436494ce5019d97cac7377705e6e930cf900a81776bb6be18d75f5c')
    expect(hex(rootOf(one))).toBe('67b1f1edb40b44ce53dd2a485ec148e4a5941bc599eb3eccf194e9108cc2ce4c')
    expect(hex(second)).toBe('ee14bd5fcbed75c42eda957e479fb4cbf6161c3b50ef1da713c77540c8f26236')
    expect(hex(link1)).toBe('7ec99eeee08c7c4aa42b84ff229c0669719166f503927eef4167615ab4717a96')
    expect(hex(rootOf(two))).toBe('e7b0caa3a9826dfbaeb383475f91ff8c21d808bdbe9e77469eadac1066d1414a')
  })
})

test('the same artifact has another link at another position, in another chain and after another link', () => {
  const ah = artifactHash('{}')
  const links = [
    link('a/live', 0, ah, ah),
    link('a/live', 1, ah, ah),
    link('a/test', 0, ah, ah),
    link('a/live', 0, Buffer.alloc(32), ah),
  ]

  expect(new Set(links.map(hex)).size).toBe(4)
})
