import { Aws, Duration, NestedStack, type NestedStackProps } from 'aws-cdk-lib'
import {
  AccessLogFormat,
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  SecurityPolicy,
  SpecRestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { PolicyDocument, Role } from 'aws-cdk-lib/aws-iam'
import type { IVersion } from 'aws-cdk-lib/aws-lambda'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import type { Route } from '../../shared/base/wire/route.ts'
import { acknowledge, wildcard } from '../acknowledge.ts'
import { Cdn } from '../constructs/cdn.ts'
import { invokedName } from '../constructs/endpoint-function.ts'
import { Firewall } from '../constructs/firewall.ts'
import { ImpactAlarm } from '../constructs/impact-alarm.ts'
import { onlyFromHere } from '../constructs/only-from-here.ts'
import { OwnLog } from '../constructs/own-log.ts'
import { statement } from '../constructs/row-function.ts'
import { openapi } from '../openapi/openapi.ts'
import type { Options } from '../options.ts'
import { functionName } from '../platform.ts'
import { authorizersOf, UNMATCHED } from '../surface.ts'

const STAGE = 'live'
/**
 * Half of the account's limits of 10,000 requests per second and 5,000 burst, so that a deployment leaves some for others.
 */
const THROTTLE = { throttlingRateLimit: 5_000, throttlingBurstLimit: 2_500 }

const FUNCTIONS = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function`
const NAMED_BY_AREA =
  'Functions are named <prefix>-<area>-<operation>; listing each would pass the size limit of a role.'

/** The access log: ids, route and times. The path is its only text from callers. */
const LOGGED = {
  request_id: '$context.requestId',
  extended_request_id: '$context.extendedRequestId',
  trace_id: '$context.xrayTraceId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  bytes: '$context.responseLength',
  ms: '$context.responseLatency',
  integration_ms: '$context.integrationLatency',
  authorizer_ms: '$context.authorizer.latency',
  authorizer_error: '$context.authorizer.error',
  refusal: '$context.error.responseType',
}

type Props = NestedStackProps & {
  routes: readonly Route[]
  options: Options
  domain?: string | undefined
  logKeyArn?: string | undefined
  alarmTopic?: ITopic | undefined
  /** With it, CloudFront stands in front of the API. */
  restore?: IVersion | undefined
}

/** One REST API, made from the routes. It uses function names instead of references, so that stacks have no cycles. */
export class HostStack extends NestedStack {
  readonly hostName: string
  /** Without a trailing slash. */
  readonly url: string
  /** The address at CloudFront, to which a domain has to point. */
  readonly cloudFront: string | undefined

  constructor(
    scope: Construct,
    id: string,
    { routes, options, domain, logKeyArn, alarmTopic, restore, ...props }: Props,
  ) {
    super(scope, id, props)
    const api = new SpecRestApi(this, 'Api', {
      restApiName: `${options.prefix}-${id}`,
      apiDefinition: ApiDefinition.fromInline(
        openapi(routes, {
          title: `${options.prefix}-${id}`,
          functionOf: (row) => invokedName(row, options),
          invokeRoleArn: this.#invokeRole(routes, options.prefix).roleArn,
          fixedChallenge: options.mcpChallenge === 'fixed',
        }),
      ),
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: false,
      disableExecuteApiEndpoint: domain !== undefined && restore === undefined, // CloudFront calls it
      deployOptions: this.#stage(logKeyArn),
    })
    const cdn =
      restore && new Cdn(this, 'Cdn', { api, routes, restore, domain, certificateArn: options.cdnCertificateArn })
    const generated = `${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`
    this.cloudFront = cdn?.cloudFront
    this.hostName = cdn?.hostName ?? domain ?? generated
    this.url = cdn || domain ? `https://${this.hostName}` : `https://${generated}/${STAGE}`
    if (domain && !cdn) this.#nameIt(api, domain, String(options.certificateArn))
    const { waf } = options
    if (waf || cdn)
      new Firewall(this, 'Firewall', { stageArn: api.deploymentStage.stageArn, waf, originSecret: cdn?.originSecret })
    this.#alarm(api, alarmTopic)
    this.#acknowledge(waf || cdn !== undefined)
  }

  /** May invoke the functions of this host's areas and its authorizers, and no other worker. */
  #invokeRole(routes: readonly Route[], prefix: string): Role {
    const areas = [...new Set([...routes, UNMATCHED].map(({ area }) => area))].toSorted()
    const authorizers = authorizersOf(routes).map((row) => `${FUNCTIONS}:${functionName(prefix, row)}`)
    const streams = routes.some(({ stream }) => stream)
    const invoke = statement({
      actions: ['lambda:InvokeFunction', ...(streams ? ['lambda:InvokeWithResponseStream'] : [])],
      resources: [...areas.map((area) => `${FUNCTIONS}:${prefix}-${area}-*`), ...authorizers],
    })
    const role = new Role(this, 'InvokeRole', {
      assumedBy: onlyFromHere('apigateway'),
      inlinePolicies: { invoke: new PolicyDocument({ statements: [invoke] }) },
    })
    for (const area of areas) acknowledge(role, { [wildcard(`${FUNCTIONS}:${prefix}-${area}-*`)]: NAMED_BY_AREA })
    return role
  }

  #stage(keyArn: string | undefined): StageOptions {
    const log = new OwnLog(this, 'AccessLog', { retention: RetentionDays.THREE_MONTHS, keyArn })
    return {
      stageName: STAGE,
      tracingEnabled: true, // gives the gateway's own refusals a trace id
      loggingLevel: MethodLoggingLevel.ERROR,
      accessLogDestination: new LogGroupLogDestination(log),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(LOGGED)),
      ...THROTTLE,
    }
  }

  #nameIt(api: SpecRestApi, domainName: string, certificateArn: string) {
    api.addDomainName('Domain', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    })
  }

  #alarm(api: SpecRestApi, topic?: ITopic) {
    const impact = 'One in a hundred requests ends in a server error: agents cannot act, approvers cannot decide.'
    const metric = api.metricServerError({ period: Duration.minutes(5), statistic: Stats.AVERAGE })
    new ImpactAlarm(this, 'ServerErrors', { impact, metric, threshold: 0.01, evaluationPeriods: 2 }, topic)
  }

  #acknowledge(guarded: boolean) {
    acknowledge(this, {
      'AwsSolutions-APIG2': 'Requests are validated by the functions, which answer with the documented error bodies.',
      ...(!guarded && { 'AwsSolutions-APIG3': 'The option waf is off.' }),
    })
  }
}
