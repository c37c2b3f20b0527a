import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256Hex } from '../../../../shared/base/lib/json.ts'
import { WEIGHTS } from '../../../../shared/base/scorer/features.ts'
import { readWeights, score, writeWeights } from '../../../../shared/base/scorer/weights-file.ts'
import { runs } from '../../../support/runs.ts'

test('weights are read as they were written', () => {
  const entry = fc.tuple(fc.nat(WEIGHTS - 1), fc.float({ noNaN: true, noDefaultInfinity: true }))
  fc.assert(
    fc.property(fc.array(entry), fc.double({ noNaN: true, noDefaultInfinity: true }), (entries, bias) => {
      const weights = new Float32Array(WEIGHTS)
      for (const [index, weight] of entries) weights[index] = weight === 0 ? 0 : weight
      const file = writeWeights('approval', { weights, bias })
      const read = readWeights(file, sha256Hex(file))
      expect(Buffer.from(read.weights.buffer).equals(Buffer.from(weights.buffer))).toBe(true)
      expect(read).toMatchObject({ type: 'approval', bias: bias === 0 ? 0 : bias })
    }),
    runs(20, 10),
  )
})

test('a file is refused whose bytes are not the recorded ones', () => {
  const weights = new Float32Array(WEIGHTS).fill(0.5, 0, 10)
  const file = writeWeights('approval', { weights, bias: 0.1 })
  const tampered = file.replace('"bias":0.1', '"bias":9.1')

  expect(() => readWeights(tampered, sha256Hex(file))).toThrow('not those that were recorded')
  const cut = `${file.slice(0, -9)}\n`
  expect(() => readWeights(cut, sha256Hex(cut))).toThrow('cut off')
})

test('a model without weights gives every action the probability of its bias', () => {
  const model = { weights: new Float32Array(WEIGHTS), bias: 0 }
  expect(score(model, 'n/a', { amount: 1 })).toBe(0.5)
})
