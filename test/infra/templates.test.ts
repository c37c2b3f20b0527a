import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { functionName } from '../../infra/platform.ts'
import { byArea, SURFACE, UNMATCHED } from '../../infra/surface.ts'
import { environment } from '../../infra/uses.ts'
import { synthesise } from './support/assembly.ts'
import { resolvedPlatform } from './support/platform.ts'
import { asArray, asObject } from './support/resolve.ts'

const assembly = synthesise()
const platform = resolvedPlatform(assembly)
const rows = [...byArea(SURFACE).values()].flat()
const functions = new Map(
  assembly.all('AWS::Lambda::Function').map((one) => [String(one.properties.FunctionName), one]),
)
const rowOf = new Map(rows.map((row) => [functionName('countersign', row), row]))

describe('templates', () => {
  test('every template stays below 450 resources and 800 KB', () => {
    for (const [file, { Resources }] of assembly.templates) {
      expect(Object.keys(Resources).length, file).toBeLessThanOrEqual(450)
      expect(Buffer.byteLength(assembly.texts.get(file) ?? ''), file).toBeLessThanOrEqual(800_000)
    }
  })
})
