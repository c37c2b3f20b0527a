// The process of `writeApart`: creates one asset. It ends with the service, even if that is killed.
import { writeAsset } from '../bundle/assets.ts'
import type { AssetName } from '../../shared/base/wire/route.ts'

process.on('disconnect', () => process.exit(1))
const [name = '', file = ''] = process.argv.slice(2)
await writeAsset(name as AssetName, file) // `writeApart` names it
process.exit()
