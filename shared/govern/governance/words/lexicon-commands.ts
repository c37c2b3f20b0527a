// The words of commands that only read. A command with another word is not understood. This file holds data only; spaces separate
// the words, which stand in the singular.

/** What is read, besides the plain words. */
export const NOUNS = `absence access account accuracy action activity actor admin advantage age agenda agent agreement alarm
  alert allocation alternative analysis analytics anniversary announcement anomaly answer app appointment architecture area
  argument article artifact asset assignment assumption attachment attendee attribute audience audit author average backend
  backlog backup balance bandwidth base baseline basis benchmark benefit billing birthday blog bottleneck bounce boundary
  branch brand breakdown browser bucket bug bundle business byte cache calculation calendar caller candidate capacity card
  cart cash catalog catalogue category cause cell center centre certificate chair change changelog channel chapter character
  chat check checklist checkout choice churn class classification clause click client cloud cluster code cohort collection color
  colour combination comment commit commitment communication community comparison competitor component comprehension compute
  concept conclusion configuration config confirmation conflict connection connector console constraint consumption contact
  container contract contribution contributor control conversion copy core correlation course coverage cpu credit crew crm
  currency cursor curve cycle dashboard data database dataset date deadline debt decision default definition deliverable demand
  department dependency deployment depth desk destination detail developer development deviation device diagram diff difference
  dimension directory discount discussion disk distribution division dns document documentation domain download draft drawer
  drive driver drop duplicate duration edition editor effect effort element email employer endpoint energy engine engineer
  engineering entity entry environment epic error estimate evaluation event evidence exam exception execution expectation expense
  experience experiment expert expiration expiry explanation export expression extension factor failure fan faq fault favorite
  feature fee feed feedback figure filter finance finding fix flag floor flow font food footer forecast form format formula forum
  foundation framework frequency friday frontend function fund gap gateway gb geography glossary goal graph ground growth guest
  guide guideline handbook hardware header headline headcount health heading height help hierarchy highlight history holiday
  homepage hook hosting household hr identifier identity idea image impact import impression improvement incident income increase
  indicator industry inbox influence infrastructure ingredient initiative innovation input insight instance institution
  instruction insurance integration interaction interest interface interval interview introduction inventory investigation
  investment investor invitation ip iteration job journey json kanban kb keyword kickoff kind knowledge lab label lag landscape
  language laptop latency law layer lawyer layout leader learner lecture legend lesson letter level library license licence line
  lineage link listing literature load location log login logo loss machine mail mailbox maintenance management map margin
  mark market marketing material math matrix matter mb mean meaning measure measurement mechanism median medium meeting
  member membership memory menu merchant merge message metadata method methodology migration milestone minimum maximum ministry
  minute mission mistake mode model module moment monitor mood mrr arr movie music name namespace nature neighbour
  network news newsletter node norm note notebook notification novel number object objective observation offer opinion order
  orders org organisation origin outcome outlier outline output overlap overview owner ownership package paper paragraph parent part
  participant partition party password patch path patient pattern payload payment payroll pdf peak people percentage percentile
  performance period permission person personnel persona phase phrase picture pipeline place plan planet platform player playlist
  plot pod point policy pool popularity population port portfolio position post posting potential power practice prediction
  presentation president pressure preview principle print printer probability problem procedure process producer product
  production profession profile profit program programme progress prompt proof property proposal prospect protocol provider
  province purchase purpose qualification quality quantity query question queue quote quotation race rack range rank ranking rate
  rating ratio reaction reader reading reason receipt recipe recipient recommendation recording reference referral refund region
  registration registry regression relation relationship release relevance remainder reminder renewal rent repetition replica
  replication reply requirement requester research researcher reservation resident resource responsibility restaurant restriction
  result retention return revenue review reviewer revision reward risk roadmap role root round router row rule runbook
  runtime safety salary sample sandbox satisfaction scale scan scenario schedule schema science scope score screen screenshot
  script search season seat secretary section sector security segment sender sentence sentiment sequence series session set
  setup severity shape share sheet shift shop side sign signal signature signup significance simulation site situation size skill sla
  slide slo slot snapshot snippet software solution song source space speaker specification spec spending spend speed spike
  spreadsheet sprint stability stack staff stage stakeholder standard standup star state statement statistic stats stat stop
  storage store story stream string structure student study style subject subscriber subscription subsidiary success suggestion
  summary supply support surface survey symptom sync synonym syntax synopsis system tag talk target tariff tax teacher
  technology template tenant tenure terminal test testimonial theme theory thing thought threshold throughput tier timeline
  timestamp timezone tip tool topology total trace track tracking tradeoff traffic trainer training transaction transcript
  transfer transition translation transport travel tree trial trigger trip trouble tunnel tutorial type unit universe university
  update upgrade upload uptime url usage use utilization vacation validation valuation value variable variance variant variation
  vat vehicle velocity vendor venue verb verdict version view viewer visibility visit visitor visualization vm voice
  volume vote voter vulnerability wage wait warning warranty watch watcher weakness wealth web webhook webinar website
  weekend weight wiki winner win wins winter summer autumn spring word wording workflow workload workshop workspace
  writer yield zone absentee backlink bookmark payer payee invoicing debtor creditor shipper carrier tracker badge
  kubernetes docker linux windows postgres mysql redis kafka grafana jira confluence slack github gitlab
  sku serial barcode ledger journal aging ageing ebitda cogs gdp roi kpi okr nps csat faq eta ttl cron pull
  comparison approval approvals absences analyses indices statuses children men women feedback todo todos bug usages
  percent conflict regime signup timesheet payslip stocktake restock lookup readme runner worker subnet vpc firewall proxy
  balancer kernel thread daemon socket packet header cookie-banner cdn dag etl pagination facet shard heap
  garbage gc gpu ram swap throughput iops bytes petabyte terabyte gigabyte megabyte kilobyte ms second seconds millisecond
  iban station availability authentication authorization afternoon night one ones registrant ballot
  onboarding offboarding pricing hosting spending shopping parking housing meaning finding warning setting
  listing rating ranking heading recording posting training meeting building opening ending beginning billing booking`

/** Nouns for what has a form on a page or is said of something. To get one is to read. */
export const REPORTS = `list overview summary report breakdown count number status detail details statistic statistics stats chart
  table graph history log logs metadata info information name names id ids version versions description descriptions total totals
  average median sum percentage result results value values record records row rows entry entries comparison explanation
  timeline update updates copy schema content contents weather forecast temperature time hint snapshot digest answer`

/** What is had rather than read. To get, fetch or return one of these is an act. */
export const POSSESSIONS = `key access admin administrator root owner ownership right rights role permission privilege license licence
  subscription seat room car bus train flight hotel booking reservation table ticket parcel shipment stock goods fund funds
  money refund deposit payment discount credit salary wage raise bonus loan card laptop phone device chair desk machine
  vehicle equipment food supply coffee pizza security support help approval contract job position offer appointment
  slot certificate domain storage disk memory bandwidth capacity power control vote label badge visa insurance lawyer doctor
  attention recipe tip reward cash interest share badge order control quota invitation invite backup release fix patch upgrade
  feature build traffic container shop store person people staff manager employee colleague assignee agent member student patient
  stake pension commission compensation teacher partner supplier vendor warehouse warranty engineer developer`

/** What can be read aloud or on a screen: the objects of `read`. */
export const READABLES = `file files page pages document documents doc docs report reports note notes message messages mail mails
  email emails log logs table tables row rows record records entry entries comment comments thread threads article articles
  chapter chapters section sections paragraph paragraphs line lines text texts content contents config configuration
  configurations setting settings metadata schema summary description descriptions transcript transcripts review reviews
  feedback news changelog readme documentation guide manual policy data value values list title titles sheet spreadsheet cell
  cells issue issues ticket tickets minutes agenda wiki post posts header headers specification spec contract contracts`

/** What a test, a ping or a check of validity leaves as it is. */
export const TESTABLES = `connection connectivity endpoint endpoints api query regex expression url link links latency server servers
  host hosts node nodes site website service services gateway database address addresses iban number format schema file
  files json yaml xml data config configuration signature checksum total totals sum syntax result results version integrity value
  values link template input output report id ids code certificate formula model backup`

export const ADJECTIVES = `abandoned able absolute accurate exchange actual additional affected aggregate alive alphabetical alternative
  annual anomalous approximate attached automatic average away bad basic best big blue brief brown busy certain
  cheap clean clear cold common complete complex critical cumulative current daily dark dead deep delayed
  detailed different digital direct distinct draft due duplicate early easy effective eligible empty entire
  essential estimated exact existing expensive expected expired external extra failed failing false fast favorite female final
  financial fiscal flaky foreign free frequent fresh full further future general global good gross half hard healthy
  heavy helpful hidden high historical hot huge human idle important incoming incomplete inconsistent individual
  initial interesting internal international invalid joint key large late latest legal likely little live local
  logical lonely long loose lost lowest male manual marginal matched maximal maximum mean median medium minimal minimum minor
  missing mobile modern monthly multiple mutual narrow national native near negative net new newest next nice noisy
  normal normalized notable numeric obsolete odd offline ok old online only open optional orange original orphaned other
  outdated outgoing outstanding overall overdue own paid parallel parked partial particular past peak pending personal
  physical pink poor popular positive possible potential preferred premium preliminary present previous primary prior
  private professional prominent public quarterly quick quiet random rare raw ready real recent recurring red redundant
  regional registered regular related relative relevant remaining remote required responsible rich robust running safe
  same scheduled seasonal secondary secret senior separate serious severe shared short significant silent similar simple single
  slow small social soft solar special specific stable stale standard starred static steady strange strict
  strong structured stuck subtle successful such suitable suspicious temporary thick thin third top tight
  tiny total total unassigned unanswered unchanged unclear undefined underlying unique unknown unlabeled unmerged
  unpaid unpublished unread unresolved unsolved untagged unused unusual upcoming upper urgent useful usual valid various
  vague verified vertical visible vulnerable warm weak weekly weird white whole wide wild wrong yearly yellow young
  resolved unhealthy healthy degraded unreachable reachable slowest fastest cheapest largest smallest biggest highest lowest longest shortest oldest newest youngest busiest
  closest nearest strongest weakest hottest coldest fewest greatest earliest fourth fifth sixth seventh eighth ninth tenth
  available unavailable renewable electric mandatory in-stock
  selling running failing closing growing declining trending waiting remaining existing missing pending upcoming incoming
  outgoing outstanding recurring matching corresponding following preceding underlying ongoing overlapping conflicting aging
  long-running best-selling top-selling year-to-date end-to-end real-time two-factor multi-factor third-party read-only`

/** Participles that describe a thing, besides the forms of known verbs. */
export const PARTICIPLES = `abandoned affected archived based broken called caused chosen completed concerned cost dated done
  dropped emailed escalated expected expired failed filed filtered finished found fulfilled generated given grouped held hosted
  impacted incurred installed introduced kept known labeled labelled located logged made managed mentioned
  missed modified named needed noted offered opened owned paid placed planned posted processed produced
  published raised rated received reported requested required resolved responded returned reviewed running scheduled sent
  set shipped signed sold solved sorted spent started submitted taken targeted titled touched triggered triaged
  typed used viewed visited waiting won lost written bought containing including using having matching starting ending
  belonging referring relating pointing exceeding lacking missing mentioning covering affecting using involving holding`

/** Verbs that say how something is. They ask for nothing in a question, nor behind `that` or `who`. */
export const STATES = `be is are was were am been have has had do does did own owns use uses need needs contain contains belong
  belongs exceed exceeds match matches fail fails failed expire expires expired breach breaches breached miss misses missed work
  works worked live lives lived cost costs take takes took mean means look looks start starts started end ends ended grow grows grew
  drop drops dropped rise rises rose change changes changed happen happens happened come comes came go goes went serve serves
  served spend spends spent earn earns earned sell sells sold buy buys bought order orders ordered pay pays paid sign signs
  signed log logged logs join joined joins leave left leaves reviewed review reviews created made wrote writes write owned manages manage
  depend depends mention mentions include includes support supports hold holds held lack lacks lie lies point points refer
  succeed succeeds succeeded refers relate relates affect affects cause causes caused introduce introduces introduced get gets got receive receives received
  assigned approved rejected opened closed updated modified deleted uploaded shared reported resolved requested booked scheduled
  cover covers respond responded responds run runs ran exist exists`

/** Before a word or a few: a name follows. */
export const NAMING = 'named called titled tagged labeled labelled entitled containing saying mentioning'

/** Formats in which a result can be shown. */
export const FORMATS =
  'table list chart graph csv json yaml markdown text pdf html xml tree diagram bullets bullet plot'

/** The languages in which an answer can be given. */
export const LANGUAGES = `english german french spanish italian portuguese dutch polish czech danish swedish norwegian finnish
  greek turkish russian ukrainian arabic hebrew hindi chinese japanese korean vietnamese thai indonesian latin`

/** Words of time that need no preposition. */
export const TIMES = `right today yesterday tomorrow tonight now currently recently lately daily weekly monthly yearly annually hourly again
  already yet so far ago ever alphabetically chronologically briefly quickly first ascending descending
  correctly properly still only too please thanks thank well`

/** Prepositions that select. */
export const SELECTING = `of in from for by with without per since until till before after during within between near under over above
  below at on about around across among against behind inside outside beyond regarding concerning like excluding including
  along versus vs except`

export const DETERMINERS = 'the a an my our your his her its their this that these those'
export const QUANTITIES = `all both each every any some no another more most many few several enough half none one two three four
  five six seven eight nine ten dozen`
export const PRONOUNS = 'it them this that these those everything all each one ones mine which'
export const COMPARATIVES = `more less fewer older newer larger smaller bigger greater higher lower longer shorter cheaper better worse
  later earlier faster slower`

/** Before `to` these say what belongs to what. */
export const RELATED = `assigned related linked connected belonging similar due sent close equal relating compared referring limited
  shipped next time distance route flight flights train bus connection`

/** What may have an address as its name. */
export const ADDRESSED = `user customer contact person address email account member owner employee recipient sender issue issues channel
  group`

export const SPANS = `day week month quarter year monday tuesday wednesday thursday friday saturday sunday hour minute weekend night morning
  afternoon evening time sprint days weeks months quarters years hours minutes january february march april may june july august
  september october november december spring summer autumn winter`

/** What of a request says nothing. */
export const COURTESY = `please kindly can could would will you we i need want like love to let just now first next also again hey hi
  hello ok okay go ahead agent assistant dear quickly immediately simply only try help d ll then so and finally lastly thanks thank
  good morning afternoon evening day everyone all`

/** Reading verbs that get what they name, as people get things, too. */
export const OBTAINING = 'get fetch retrieve return give'
/** Verbs whose object may be followed by what it is (`list the tickets open since Monday`). After others that is what is brought about
    (`get the tickets closed`). */
export const DESCRIBING = `list show find search display view count enumerate summarize summarise compare analyse analyze describe
  explain query browse plot rank identify detect predict forecast estimate calculate`
/** Reading verbs that leave only some objects as they are. */
export const TESTING = 'test ping probe poll verify validate'
export const NOT_READING = 'simulate'
export const ALSO_READING = 'rank plot'
/** Reading verbs before a question. */
export const ASKING = 'check verify see show tell explain know find'
export const SEARCHING = 'search find query browse'
/** Besides verbs that search, these may have a text in quotation marks as their object. */
export const QUOTING = 'translate explain summarize summarise count'
/** Whom a query would ask. */
export const ASKED = `customer customers user users member members employee employees supplier suppliers partner partners person people
  everyone team colleague colleagues client clients vendor vendors`
