// The words that decide whether a statement is proven to read. This file holds data only; spaces separate the words.

/** Words that begin a writing statement or clause. Some dialects need no semicolon before it. */
export const WRITE_WORDS = `insert update delete merge upsert drop truncate alter create grant revoke deny exec execute call
  do copy load lock unlock handler vacuum reindex analyze analyse attach detach set declare begin commit rollback use go
  backup restore dbcc kill shutdown reconfigure bulk waitfor raiserror throw prepare deallocate listen notify unlisten
  discard pragma conversation trigger signature writetext updatetext readtext setuser revert checkpoint into returning
  outfile dumpfile infile uescape nextval setval procedure overwrite unload cluster refresh reset purge flush rename import`

/** Functions that change nothing and depend only on their arguments, the rows and the clock. */
export const PURE_FUNCTIONS = `count sum avg min max total coalesce nullif lower upper length len char_length
  character_length octet_length trim ltrim rtrim btrim substring substr left right lpad rpad concat concat_ws replace
  translate reverse position strpos instr locate charindex split_part initcap ascii chr md5 hex quote_literal
  round floor ceil ceiling abs mod power pow sqrt sign exp ln log log10 log2 trunc greatest least
  extract date_trunc date_part date_format date_bin to_char to_date to_timestamp to_number now getdate sysdate date time
  timestamp datetime year month day hour minute second week quarter dayofweek weekday datediff dateadd datepart date_add
  date_sub date_diff timestampdiff timestamp_diff strftime julianday unixepoch age last_day make_date curdate
  current_timestamp current_date current_time
  cast convert try_cast safe_cast try_convert isnull ifnull nvl nvl2 iif if decode
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  percentile_cont percentile_disc median mode string_agg group_concat array_agg listagg json_agg jsonb_agg json_object_agg
  json_object json_build_object jsonb_build_object json_array json_extract json_extract_path json_extract_path_text
  json_value json_query json_array_length jsonb_array_length jsonb_array_elements json_array_elements jsonb_each json_each
  jsonb_extract_path jsonb_extract_path_text to_json to_jsonb row_to_json array_length cardinality unnest array_to_string
  stddev stddev_pop stddev_samp var variance var_pop var_samp corr covar_pop bool_and bool_or every bit_and bit_or
  any_value approx_count_distinct countif count_if grouping regexp_like to_tsvector to_tsquery plainto_tsquery
  websearch_to_tsquery ts_rank similarity version database schema current_database current_schema current_user user typeof
  pg_typeof format_date parse_date safe_divide`

/** Other words before a parenthesis: keywords, and types with a length. */
export const BEFORE_PARENTHESIS = `select distinct all any some exists in and or not on where having from join union except
  intersect minus by when then else case using over filter group like ilike between is limit offset top as lateral interval
  row array sets rollup cube values materialized char character varchar nvarchar nchar varchar2 numeric decimal number
  float bit binary varbinary`

/** Words between EXPLAIN or DESCRIBE and the statement. EXPLAIN PLAN is special: one dialect writes its plan to a table. */
export const EXPLAIN_OPTIONS = 'verbose extended formatted table query format json text tree traditional plan'
