import { readFileSync } from 'node:fs'
import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib'
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  Function,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  LambdaEdgeEventType,
  OriginRequestPolicy,
  PriceClass,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import type { IVersion } from 'aws-cdk-lib/aws-lambda'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { Route } from '../../shared/base/wire/route.ts'
import { acknowledge } from '../acknowledge.ts'
import { ORIGIN_SECRET } from './firewall.ts'

/** Paths whose answers are the same for everybody. Each answer says for how long. */
const CACHED = ['/console/assets/*', '/docs/*', '/.well-known/*']

/** Longer than a function of a request runs, and than an event stream is silent. */
const PATIENCE = Duration.seconds(60)

/** `restore`: see restore-challenge.ts. `certificateArn`: of the domain, in us-east-1. */
type Props = {
  api: SpecRestApi
  routes: readonly Route[]
  restore: IVersion
  domain?: string | undefined
  certificateArn?: string | undefined
}

/** CloudFront in front of one API. It passes all on and stores nothing but what is the same for everybody. */
export class Cdn extends Construct {
  readonly hostName: string
  /** The address that CloudFront gave. */
  readonly cloudFront: string
  /** Known to CloudFront and to the firewall of the API alone. */
  readonly originSecret: string

  constructor(scope: Construct, id: string, { api, routes, restore, domain, certificateArn }: Props) {
    super(scope, id)
    this.originSecret = this.#makeSecret()
    const shared = this.#behaviour(api)
    const cached = { ...shared, cachePolicy: this.#asTheAnswerSays() }
    const distribution = new Distribution(this, 'Distribution', {
      defaultBehavior: {
        ...shared,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        edgeLambdas: [{ eventType: LambdaEdgeEventType.ORIGIN_RESPONSE, functionVersion: restore }],
      },
      additionalBehaviors: Object.fromEntries(CACHED.filter(isServedBy(routes)).map((path) => [path, cached])),
      ...(domain && {
        domainNames: [domain],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', String(certificateArn)),
      }),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: PriceClass.PRICE_CLASS_ALL,
    })
    this.cloudFront = distribution.distributionDomainName
    this.hostName = domain ?? this.cloudFront
    this.#acknowledge(distribution)
  }

  /** API Gateway needs a `Host` of its own, and everything else as it was sent. */
  #behaviour(api: SpecRestApi): BehaviorOptions {
    const origin = new HttpOrigin(`${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`, {
      originPath: `/${api.deploymentStage.stageName}`,
      customHeaders: { [ORIGIN_SECRET]: this.originSecret },
      readTimeout: PATIENCE,
    })
    const code = readFileSync(new URL('../edge/viewer-address.cjs', import.meta.url), 'utf8')
    const viewerAddress = new Function(this, 'ViewerAddress', {
      code: FunctionCode.fromInline(code),
      runtime: FunctionRuntime.JS_2_0,
    })
    return {
      origin,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      compress: false, // the gateway compresses, and leaves event streams alone
      functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, function: viewerAddress }],
    }
  }

  /** Kept apart by what such answers vary by. An answer that says nothing is not kept. */
  #asTheAnswerSays(): CachePolicy {
    return new CachePolicy(this, 'AsTheAnswerSays', {
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.days(365),
      headerBehavior: CacheHeaderBehavior.allowList('Accept', 'Origin'),
      queryStringBehavior: CacheQueryStringBehavior.all(),
      enableAcceptEncodingGzip: true,
    })
  }

  #makeSecret(): string {
    const secret = new Secret(this, 'OriginSecret', {
      description: 'Tells requests of CloudFront from others',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    })
    acknowledge(secret, {
      'AwsSolutions-SMG4': 'CloudFront and the firewall would have to change it in the same moment.',
    })
    return secret.secretValue.unsafeUnwrap() // a reference that CloudFormation resolves
  }

  #acknowledge(distribution: Distribution) {
    acknowledge(distribution, {
      'AwsSolutions-CFR1': 'Agents and approvers may be anywhere.',
      'AwsSolutions-CFR2': 'The firewall stands behind it, at the API, and sees the address of the caller.',
      'AwsSolutions-CFR3': 'The access log of the API has every request that reaches it; what is cached is public.',
      'AwsSolutions-CFR4': 'Without a domain of its own CloudFront allows no choice of protocols.',
    })
  }
}

const isServedBy = (routes: readonly Route[]) => (pattern: string) =>
  routes.some(({ path }) => path.startsWith(pattern.replace('*', '')))
