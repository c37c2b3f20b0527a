import { Alias } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { Route } from '../../shared/base/wire/route.ts'
import type { Options } from '../options.ts'
import { functionName, type Platform } from '../platform.ts'
import { RowFunction } from './row-function.ts'

/** Functions on paths where agents or approvers wait, so a cold start hurts most. */
const HOT = new Set(['protocol-execute', 'approvals-approve'])
const ALIAS = 'warm'

type Choice = Pick<Options, 'prefix' | 'provisionedConcurrency'>

const staysWarm = (route: { id: string }, { provisionedConcurrency }: Choice) =>
  provisionedConcurrency !== undefined && HOT.has(route.id)

/** The name that API Gateway invokes for a route: the function, or its alias if containers are kept warm. */
export const invokedName = (route: { id: string }, options: Choice): string =>
  functionName(options.prefix, route) + (staysWarm(route, options) ? `:${ALIAS}` : '')

/** The function of one route. */
export class EndpointFunction extends RowFunction {
  constructor(scope: Construct, route: Route, platform: Platform, options: Choice) {
    super(scope, route, platform)
    if (!staysWarm(route, options)) return
    new Alias(scope, `${route.operation}Warm`, {
      aliasName: ALIAS,
      version: this.currentVersion,
      provisionedConcurrentExecutions: options.provisionedConcurrency,
    })
  }
}
