import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { byArea, SURFACE } from '../../infra/surface.ts'
import { environment, grants, type Row } from '../../infra/uses.ts'
import type { Use } from '../../shared/http/route.ts'
import { synthesise } from './support/assembly.ts'
import { bundleAll, type Closure, ROOT } from './support/closures.ts'
import { resolvedPlatform } from './support/platform.ts'
import { actionsOf, excess, missing, unset } from './support/privileges.ts'

const assembly = synthesise()
const platform = resolvedPlatform(assembly)
const rows = [...byArea(SURFACE).values()].flat()
const bundled = await bundleAll(rows)
afterAll(() => bundled.remove())

const closures = new Map(bundled.closures.map((closure) => [closure.entry.id, closure]))
const closureOf = ({ id }: Row): Closure => {
  const closure = closures.get(id)
  if (!closure) throw new Error(`no bundle for ${id}`)
  return closure
}
const named = rows.map((row) => [row.id, row] as const)

describe.each(named)('%s', (_, row) => {
  test('its role allows what its bundle calls', () => {
    expect(missing(closureOf(row), grants(row, platform))).toEqual([])
  })

  test('its role allows nothing that its bundle does not call', () => {
    expect(excess(closureOf(row), grants(row, platform))).toEqual([])
  })

  test('every variable that its bundle reads is set', () => {
    expect(unset(closureOf(row), environment(row, platform))).toEqual([])
  })

  test('a row that leaves an artifact may write', () => {
    const records = typeof row.evidence === 'string' || Array.isArray(row.evidence)
    if (records) expect(row.uses).toContainEqual({ table: 'write' })
  })
})
