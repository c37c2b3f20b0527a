import { NestedStack, type NestedStackProps } from 'aws-cdk-lib'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { EndpointFunction } from '../constructs/endpoint-function.ts'
import { WorkerFunction } from '../constructs/worker-function.ts'
import type { Options } from '../options.ts'
import type { Platform } from '../platform.ts'
import type { Row } from '../uses.ts'

type Props = NestedStackProps & {
  rows: readonly Row[]
  platform: Platform
  options: Options
  alarmTopic?: ITopic | undefined
}

/** The functions of one area. */
export class AreaStack extends NestedStack {
  constructor(scope: Construct, id: string, { rows, platform, options, alarmTopic, ...props }: Props) {
    super(scope, id, props)
    for (const row of rows) {
      if ('trigger' in row) new WorkerFunction(this, row, platform, alarmTopic)
      else new EndpointFunction(this, row, platform, options)
    }
  }
}
