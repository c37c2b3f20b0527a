// Files that are bundled beside the code of functions. They are created once per build.
import { copyFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AssetName, Route, Use } from '../../shared/base/wire/route.ts'
import type { Worker } from '../../shared/base/wire/worker.ts'
import type { Document } from '../docs/openapi-types.ts'
import { SURFACE } from '../surface.ts'
import { bundleVerifier } from './verifier.ts'

const { resolve } = createRequire(import.meta.url)

const MAKERS: Record<AssetName, (file: string) => Promise<void>> = {
  'openapi.json': async (file) => {
    const { openapiDocument } = await import('../openapi/document.ts') // loads every handler
    await writeFile(file, JSON.stringify(await openapiDocument()))
  },
  'docs.json': async (file) => {
    const [{ openapiDocument }, { docsSite }] = await Promise.all([
      import('../openapi/document.ts'),
      import('../docs/site.ts'),
    ])
    const document = JSON.parse(JSON.stringify(await openapiDocument())) as Document // as its readers get it
    await writeFile(file, JSON.stringify(await docsSite(document)))
  },
  'verify.mjs': (file) => bundleVerifier(file),
  'FORMAT.md': (file) =>
    copyFile(fileURLToPath(new URL('../../shared/ledger/evidence/FORMAT.md', import.meta.url)), file),
  'countries.mmdb': (file) =>
    copyFile(resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'), file),
  'DejaVuSans.ttf': (file) => copyFile(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'), file),
  'DejaVuSans-Bold.ttf': (file) => copyFile(resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'), file),
}

export const writeAsset = (name: AssetName, file: string): Promise<void> => MAKERS[name](file)

/** The assets that a row uses. */
export const assetsOf = (uses: readonly Use[]): AssetName[] => uses.flatMap((use) => ('asset' in use ? use.asset : []))

/** Writes the assets of each function into its code folder. */
export async function addAssets(folderOf: (row: Route | Worker) => string): Promise<void> {
  const writing = [...SURFACE.routes, ...SURFACE.workers].flatMap((row) =>
    assetsOf(row.uses).map((name) => writeAsset(name, join(folderOf(row), name))),
  )
  await Promise.all(writing)
}
