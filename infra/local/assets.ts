// Stand-in for the files that lie beside a function's code: they are made in the data directory when a function that reads
// them is first called, since making the OpenAPI document takes longer than a start.
import { join } from 'node:path'
import type { AssetName, Use } from '../../shared/base/wire/route.ts'
import { assetsOf, writeAsset } from '../bundle/assets.ts'
import { ENVIRONMENT } from '../topology.ts'

/** Points the functions to the files. What it gives resolves when those that a row uses are there; once per start. */
export function localAssets(directory: string): (row: { uses?: readonly Use[] }) => Promise<void> {
  const made = new Map<AssetName, Promise<void>>()
  const make = (name: AssetName) => {
    const making = made.get(name) ?? writeAsset(name, join(directory, name))
    made.set(name, making)
    return making
  }
  for (const [name, variable] of Object.entries(ENVIRONMENT.asset)) process.env[variable] = join(directory, name)
  return async ({ uses = [] }) => {
    await Promise.all(assetsOf(uses).map(make))
  }
}
