// Files that functions read beside their code: made once per build, never per request.
import { copyFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AssetName, Route } from '../shared/http/route.ts'
import { openapiDocument } from './openapi-document.ts'
import { SURFACE } from './surface.ts'

const resolve = createRequire(import.meta.url).resolve

const MAKERS: Record<AssetName, (file: string) => Promise<void>> = {
  'openapi.json': async (file) => writeFile(file, JSON.stringify(await openapiDocument())),
  'redoc.standalone.js': (file) => copyFile(resolve('redoc/bundles/redoc.standalone.js'), file),
}

export const writeAsset = (name: AssetName, file: string): Promise<void> => MAKERS[name](file)

/** What a row's `uses` name. */
export const assetsOf = ({ uses }: Pick<Route, 'uses'>): AssetName[] =>
  uses.flatMap((use) => ('asset' in use ? use.asset : []))

/** Puts the assets of each route into the folder of its code. */
export async function addAssets(folderOf: (route: Route) => string): Promise<void> {
  const files = SURFACE.routes.flatMap((route) => assetsOf(route).map((name) => ({ name, folder: folderOf(route) })))
  await Promise.all(files.map(({ name, folder }) => writeAsset(name, join(folder, name))))
}
