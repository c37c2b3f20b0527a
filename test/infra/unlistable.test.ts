import { Stack } from 'aws-cdk-lib'
import { Bucket } from 'aws-cdk-lib/aws-s3'
import { expect, test } from 'vitest'
import { byArea, SURFACE } from '../../infra/surface.ts'
import { unlistable } from '../../infra/unlistable.ts'
import { grants } from '../../infra/uses.ts'
import { synthesise } from './support/assembly.ts'
import { resolvedPlatform } from './support/platform.ts'

test('every right on many objects of a bucket is accepted, because cdk-nag would stop the deployment', () => {
  const workers = SURFACE.workers.filter(({ trigger }) => 'operator' in trigger || 'cognito' in trigger) // a deployment needs them
  const platform = resolvedPlatform(synthesise({ routes: [], workers }))
  const rights = [...byArea(SURFACE).values()].flat().flatMap((row) => grants(row, platform))
  const bucket = new Bucket(new Stack(), 'Files')
  const accepted = Object.keys(unlistable([bucket], SURFACE))

  const prefixes = Object.values(platform.buckets).flatMap(({ arn }) =>
    rights.flatMap(({ resources }) =>
      resources.filter((one) => one.startsWith(`${arn}/`)).map((one) => one.slice(arn.length)),
    ),
  )
  expect(new Set(prefixes)).toContain('/models/*')
  for (const prefix of new Set(prefixes))
    expect(
      accepted.some((id) => id.endsWith(`Arn>${prefix}]`)),
      prefix,
    ).toBe(true)
})
