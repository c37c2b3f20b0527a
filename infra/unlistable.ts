import { Names } from 'aws-cdk-lib'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import { wildcard } from './acknowledge.ts'
import type { Surface } from './surface.ts'

const REASON = 'Objects are named by tenant, mode and size or id, so a role cannot list them.'

/** Accepts rights on all objects of these buckets, and on those under each prefix that rows name; decisions read models. */
export function unlistable(buckets: readonly Bucket[], { routes, workers }: Surface): Record<string, string> {
  const named = [...routes, ...workers].flatMap(({ uses }) =>
    uses.flatMap((use) => ('prefix' in use && use.prefix) || []),
  )
  const prefixes = ['', 'models/', ...new Set(named)]
  return Object.fromEntries(buckets.flatMap((bucket) => prefixes.map((prefix) => [objectsOf(bucket, prefix), REASON])))
}

const objectsOf = (bucket: Bucket, prefix: string) =>
  wildcard(`<referenceto${Names.nodeUniqueId(bucket.node.findChild('Resource').node)}Arn>/${prefix}*`)
