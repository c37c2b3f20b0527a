// The words by which names of readers differ from names of acts. This file holds data only; spaces separate the words.

/** Reading verbs that are nouns as often. Behind a word that may be a verb they need a description that reads. */
export const NOUN_READS = `test view search query list check count audit report scan trace track watch monitor preview forecast
  estimate lookup return diff show display poll ping probe compute measure read tail simulate head is has`

/** Reading verbs that lead longer names as the names of products. */
export const PRODUCTS = 'compute monitor'
/** Those that may lead all names of a node. */
export const SHARED_READS = 'compute monitor report audit trace'

/** Names that end with one of these name what is read. */
export const READ_NOUNS = `status statuses info information detail details stat stats statistics summary summaries overview
  metadata history logs tree schema schemas health usage log list version versions metric metrics analytics report reports
  topology instruction instructions guide config configuration configurations setting settings option options quota quotas
  limit limits template templates result results lists top event events preference preferences capability capabilities type
  types count size state requirement requirements recommendation recommendations indexes indices guidance practices documentation docs help example examples
  definition definitions readiness velocity cadence distribution progress workload compliance performance coverage trend
  trends screenshot screenshots`
/** Those that say so even where there is no description. */
export const PLAIN_READ_NOUNS = `status info information details stats statistics summary overview metadata history logs tree
  schema health usage whoami`

/** Words before the verb of a sentence that add no meaning. */
export const OPENERS = `it this that which the tool tools operation action endpoint function method api command a an also
  additionally always first simply can will use used to is deprecated please internally optionally automatically only
  safely quickly`
/** What follows one of these, the action does as well. */
export const SEQUELS = 'then afterwards afterward thereafter finally subsequently also additionally'
/** After a verb such as `call` these speak of the action itself. */
export const ADDRESSED = 'this it here before after first when once whenever'
/** What is run, generated or tested is a read when it is one of these. */
export const READABLE = `query queries search searches lookup check checks analysis analyses scan scans audit audits diagnostic
  diagnostics assessment report reports overview summary statistics insights recommendations preview comparison validation aggregation
  connection connectivity latency list aggregation screenshot screenshots`
/** Verbs besides those of kind execute that do what their object says. */
export const PRODUCING = 'call generate perform conduct give make take capture'
/** A first sentence that names one of these without a verb names a read. */
export const SEARCHES = 'search lookup query analysis check health'
/** Reading verbs that prove no reading description by themselves. */
export const WEAK_READS = 'simulate test ping poll probe compute translate watch'
/** A verb after one of these is not what the action does (`we recommend`, `to delete a page, …`). */
export const NOT_SAID = 'to we you'
/** Before `you to` or `to` these introduce the verb. */
export const ENABLING = 'enable allow'

/** Reading verbs that act on some objects: the kind of the act, by verb and object. */
export const ACTING_READS = {
  test: {
    message_external: 'webhook webhooks hook notification notifications message sms',
    email: 'email mail',
    destructive: 'failover failback failure recovery alarm alarms sprinkler sprinklers',
    execute: 'helm release suite',
  },
  fetch: { update: 'git' },
  watch: { write: 'card cards list lists repo repository issue issues thread board' },
  ping: { message_external: 'webhook hook url customer user users everyone team channel owner' },
  poll: { update: 'for' },
  return: { payment: 'order orders item items product purchase plan goods shipment parcel rental' },
  verify: {
    update: `email domain phone sender identity device otp mfa ownership deposit deposits microdeposits`,
  },
} as const

/** Verbs that read some objects only (`resolve_username`, but not `resolve_issue`): by verb, the objects. */
export const READS_OBJECTS = {
  resolve: `username usernames name names id ids url urls uri handle address host hostname domain dns path symbol reference
    references permalink library variable variables slug bin`,
  convert: 'time timezone currency currencies unit units temperature date length weight distance coordinates',
} as const
/** In a name these come before what a noun is sorted or selected by (`usage_by_contract`). */
export const NAME_PREPOSITIONS = 'by of for in from per'

/** Nouns that mean an act. A name with one says more than what is read. */
export const ACT_NOUNS = 'deletion removal withdrawal disbursement reimbursement termination cancellation'

/** Reading verbs of other languages, in names. */
export const FOREIGN_READS = `obtener listar buscar leer mostrar consultar obtenir lister chercher rechercher lire afficher
  consulter holen hole abrufen auflisten lesen lese zeigen zeige anzeigen suchen suche finden finde`
/** Conjunctions of other languages, in names. */
export const FOREIGN_CONJUNCTIONS = 'und oder dann danach y luego et ou puis e poi'

/** Services and things of computing, which begin many names. They name no act. */
export const THINGS = `git kubectl helm k8s kube sql cosmos kusto nosql linode openai github gitlab redis vercel supabase stripe twilio neon cloudflare postgres postgresql mysql mongodb
  mongo sqlite playwright kubernetes docker aws azure gcp google gmail jira confluence notion linear sentry grafana datadog
  elasticsearch opensearch kafka rabbitmq terraform heroku netlify shopify salesforce hubspot zendesk slack discord teams
  okta auth oauth admin app apps agent agents tool tools toolkit model models api cloud db web browser dashboard instance
  instances cluster container pod pods namespace node nodes network firewall vpc subnet bucket buckets object objects storage
  volume disk snapshot backup image cache queue topic stream broker registry repo repos git branch commit release issue
  pull mr pr wiki docs drive sheet sheets slide calendar contact contacts mailbox inbox domain dns zone certificate cert
  certificates user users account accounts org orgs member members workspace tenant customer customers invoice invoices
  product products cart subscription plan price prices device devices session sessions connection function functions
  lambda workflow workflows pipeline job jobs build dataset table tables column columns schema view index vector embedding
  memory context knowledge asset assets entity entities attribute attributes property properties component module package
  packages dependency stack service services endpoint gateway route proxy load balancer cdn edge monitoring security
  vulnerability incident policy audit compliance ai ml llm chat message messages thread webhook webhooks nc db kv pg ha
  zia zpa zdx dex vault whoami tree directory my`

/** A first word of a description that says what is returned, besides the reading verbs of names. */
export const SAYS_READ = `provide gather discover infer obtain resolve expand visualize visualise extract surface enumerate outline render print determine answer retrieve
  investigate survey`
/** Verbs that say how an action works or what it takes. At the beginning of a later sentence they are no acts. */
export const SAYS_HOW = `require support use accept include need take allow provide contain return default work apply exclude handle
  cover follow match mean assume expect ignore limit respect honor honour consider correspond combine paginate depend operate
  range start end begin be have do can may must should will combine behave come go give help let make offer enable differ fall
  produce yield output throw fail error respond live sit exist consist reflect represent indicate denote specify
  mirror extend inherit complement prefer rely reference refer appear look see note omit save see equal capture group sort order
  filter resolve cap truncate flag mark surface attempt try wait honor leverage wrap power mimic operate pass open store hold keep enrich reject scope report`
/** Before `to` and a verb: what could be done, or what something is for. */
export const COULD = `need needed require required use used able allowed how way ways permission permissions ready want wish like
  going go when before attempt attempts failed try id ids details information parameters url how what which where whether
  options help helpful possible necessary free access right rights choose select decide useful intended`
/** Words that end like the form of a verb and are none. */
export const FILLERS = `as is was does has this its us always across plus unless previous less yes various in on at for of to with from by into
  onto against if when where while because since until after before during between within under over above below about without per via
  through than but not no only both either each every all any some that which who whose these those it they them there here so
  just even still already often usually typically are were be been what how why excluding including given based like
  les los las des das tous todos todas dos`
