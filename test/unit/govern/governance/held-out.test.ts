// Tools as their authors write them, in many styles, with what they do. The lexicon is written from the meaning of words
// and is not to be tuned on this list: when a rate fails, ask what a word means, not what this list wants.
import { describe, expect, test } from 'vitest'
import { classified } from './make.ts'

const READING: [string, string][] = [
  ['get_weather', 'Get the current weather for a city.'],
  ['search_flights', 'Search for flights between two airports on a date.'],
  ['listCalendarEvents', 'Lists the events of a calendar within a time range.'],
  ['read_file', 'Reads the contents of a text file.'],
  ['fetch-page', 'Fetches a web page and returns it as markdown.'],
  ['wiki_search_pages', 'Full-text search over all pages of the wiki.'],
  ['describe_table', 'Describe the columns and indexes of a table.'],
  ['query_metrics', 'Query time series of a metric, with optional labels and aggregation.'],
  ['calculate_distance', 'Calculates the distance between two points.'],
  ['validate_iban', 'Validates an IBAN and returns the bank it belongs to.'],
  ['compare_versions', 'Compare two versions of a document.'],
  ['summarizeThread', 'Summarizes a discussion thread in a few sentences.'],
  ['lookup_customer', 'Look up a customer by name, email, or phone number.'],
  ['find_contact', 'Finds a contact in the address book.'],
  ['get_order_status', 'Returns the status of an order.'],
  ['list_open_invoices', 'List invoices that are not paid yet.'],
  ['show_balance', 'Show the balance of an account.'],
  ['check_availability', 'Checks whether a room is free.'],
  ['preview_template', 'Renders a template with sample data.'],
  ['track_shipment', 'Track where a parcel is.'],
  ['users.profile.get', 'Retrieve the profile of a user.'],
  ['repo_list_branches', 'List the branches of a repository.'],
  ['inspect_container', 'Shows configuration and state of a container.'],
  ['count_rows', 'Counts rows that match a filter.'],
  ['diff_schemas', 'Diff two database schemas.'],
  ['translate_text', 'Translate text from one language to another.'],
  ['get_payment', 'Retrieves a payment by its id.'],
  ['view_release_notes', 'View the notes of a release.'],
  ['estimate_shipping_cost', 'Estimates the cost of shipping an order.'],
  ['monitor_queue', 'Watches the depth of a queue.'],
  ['weather_forecast', 'Five-day forecast for a location.'],
]

const ACTING: [string, string][] = [
  ['send_message', 'Send a message to a channel.'],
  ['sendInvoice', 'Sends an invoice to the customer by email.'],
  ['crm_send_campaign', 'Sends a campaign to all recipients of a list.'],
  ['test_send', 'Sends a test message to yourself.'],
  ['delete_file', 'Deletes a file.'],
  ['bulk-delete-contacts', 'Delete many contacts at once.'],
  ['contacts.remove', 'Removes a contact.'],
  ['dropTable', 'Drops a table with all its rows.'],
  ['purge_queue', 'Removes all messages from a queue.'],
  ['wipe_device', 'Erases a device remotely.'],
  ['record_delete', 'Delete one record by id.'],
  ['empty_trash', 'Empties the trash of a mailbox.'],
  ['clear_cache', 'Clears the cache of a site.'],
  ['uninstall_plugin', 'Uninstalls a plugin.'],
  ['pay_invoice', 'Pays an open invoice from the default account.'],
  ['create_refund', 'Create a refund for a charge.'],
  ['transferFunds', 'Transfers funds between two accounts.'],
  ['checkout_cart', 'Checks out the cart with the stored card.'],
  ['place_order', 'Places an order for the items in the basket.'],
  ['deploy_service', 'Deploys a service to production.'],
  ['app_deploy', 'Deploy the latest build of an app.'],
  ['rollback_release', 'Rolls back to the former release.'],
  ['run_query', 'Runs a SQL statement against the database.'],
  ['execute-command', 'Executes a command in the shell of a server.'],
  ['create_ticket', 'Creates a ticket.'],
  ['update_page', 'Updates the text of a page.'],
  ['add_comment', 'Adds a comment to an issue.'],
  ['assignTask', 'Assigns a task to a member of the team.'],
  ['merge_branch', 'Merges a branch into the main one.'],
  ['cancel_subscription', 'Cancels the subscription of a customer.'],
  ['restart_server', 'Restarts a server.'],
  ['grant_access', 'Grants a user access to a folder.'],
  ['reset_password', 'Resets the password of a user.'],
  ['invite_member', 'Invites a person to the workspace.'],
  ['publish_article', 'Publishes an article on the site.'],
  ['post_tweet', 'Posts a tweet.'],
  ['schedule_meeting', 'Schedules a meeting and invites the attendees.'],
  ['submit_form', 'Fills in and submits a web form.'],
  ['click_button', 'Clicks a button on the page.'],
  ['sync_inventory', 'Synchronises stock levels with the shop.'],
  ['approve_request', 'Approves a pending request.'],
  ['write_file', 'Writes text to a file, replacing what was there.'],
  ['move_file', 'Moves a file to another folder.'],
  ['get_or_create_label', 'Returns the label, creating it when it does not exist.'],
  ['find_and_replace', 'Replaces all occurrences of a text.'],
]

const autoShare = (tools: [string, string][]) =>
  tools.filter(([name, description]) => classified(name, { description }).tier === 'AUTO').length / tools.length

const naming = (pattern: RegExp) => ACTING.filter(([name]) => pattern.test(name))

const nameless = (tools: [string, string][]) => tools.map(([name]): [string, string] => [name, ''])

describe('tools that nobody tuned on', () => {
  test('at least 90 % of reading tools are AUTO', () => {
    expect(autoShare(READING)).toBeGreaterThanOrEqual(0.9)
  })

  test('at most 1 % of acting tools are AUTO', () => {
    expect(autoShare(ACTING)).toBeLessThanOrEqual(0.01)
  })

  test('no tool named after deleting, sending, paying or deploying is AUTO', () => {
    expect(autoShare(naming(/delete|remove|send|pay|refund|order|deploy/i))).toBe(0)
  })

  test('at least 98 % of tools named after deleting are HARD', () => {
    const deleting = naming(/delete|remove|drop|purge|wipe|empty|clear|uninstall/i)
    const hard = deleting.filter(([name, description]) => classified(name, { description }).tier === 'HARD')

    expect(hard.length / deleting.length).toBeGreaterThanOrEqual(0.98)
  })

  test('names alone keep the same bounds', () => {
    expect(autoShare(nameless(READING))).toBeGreaterThanOrEqual(0.9)
    expect(autoShare(nameless(ACTING))).toBeLessThanOrEqual(0.01)
  })
})
