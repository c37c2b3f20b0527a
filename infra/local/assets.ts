// Stand-in for the files beside a function's code. They are created in the data directory at the first call of a function
// that reads them, because the OpenAPI document takes longer than a start.
import { join } from 'node:path'
import type { AssetName, Use } from '../../shared/base/wire/route.ts'
import { assetsOf, writeAsset } from '../bundle/assets.ts'
import { ENVIRONMENT } from '../topology.ts'

/** Points the functions to the files. The returned function creates the files of a row, once per start. */
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
