// Three products behind one authorisation server.
import { count, excerpt, flag, list, operation, shape, text } from './excerpt.ts'
import type { OAuthRules, Provider } from './provider.ts'

const SCOPES = 'https://www.googleapis.com/auth'

const oauth: OAuthRules = {
  authorization_url: 'https://accounts.google.com/o/oauth2/v2/auth',
  token_url: 'https://oauth2.googleapis.com/token',
  revoke_url: 'https://oauth2.googleapis.com/revoke',
  issuer: 'https://accounts.google.com',
  authorize_params: { access_type: 'offline', prompt: 'consent' },
}

const paging = { by: 'cursor', from: 'nextPageToken', to: 'pageToken' } as const
const page = { pageToken: text() }
const when = shape({ dateTime: text('RFC 3339'), date: text(), timeZone: text() })

export const googleMail: Provider = {
  id: 'google-mail',
  name: 'Gmail',
  category: 'messages',
  description: 'Mails of a Google account.',
  oauth,
  base_url: 'https://gmail.googleapis.com',
  scopes_required: [`${SCOPES}/gmail.readonly`, `${SCOPES}/gmail.send`],
  models: [
    {
      name: 'messages',
      list: 'GET /gmail/v1/users/me/messages',
      items: 'messages',
      id: 'id',
      size: 'maxResults',
      paging,
    },
  ],
  document: excerpt('Gmail', {
    messages: [
      operation('GET /gmail/v1/users/me/messages', 'list_messages', 'Lists mails.', {
        query: { q: text('Search as in Gmail'), maxResults: count(500), ...page },
      }),
      operation('GET /gmail/v1/users/me/messages/{id}', 'get_message', 'Reads a mail.'),
      operation('POST /gmail/v1/users/me/messages/send', 'send_message', 'Sends a mail.', {
        body: { raw: text('RFC 5322 in base64url'), threadId: text() },
        required: ['raw'],
      }),
      operation('POST /gmail/v1/users/me/messages/{id}/trash', 'trash_message', 'Moves a mail to the trash.'),
    ],
    labels: [
      operation('GET /gmail/v1/users/me/labels', 'list_labels', 'Lists the labels of mails.'),
      operation('GET /gmail/v1/users/me/profile', 'get_profile', 'Reads the profile of the account.'),
    ],
  }),
}

export const googleCalendar: Provider = {
  id: 'google-calendar',
  name: 'Google Calendar',
  category: 'calendar',
  description: 'Events in the calendars of a Google account.',
  oauth,
  base_url: 'https://www.googleapis.com',
  scopes_required: [`${SCOPES}/calendar.events`],
  models: [
    {
      name: 'events',
      list: 'GET /calendar/v3/calendars/primary/events',
      items: 'items',
      id: 'id',
      size: 'maxResults',
      since: 'updatedMin',
      paging,
    },
  ],
  document: excerpt('Google Calendar', {
    events: [
      operation('GET /calendar/v3/calendars/{calendarId}/events', 'list_events', 'Lists the events of a calendar.', {
        query: { timeMin: text(), timeMax: text(), q: text(), maxResults: count(2_500), ...page },
      }),
      operation('GET /calendar/v3/calendars/{calendarId}/events/{eventId}', 'get_event', 'Reads an event.'),
      operation('POST /calendar/v3/calendars/{calendarId}/events', 'create_event', 'Creates an event.', {
        body: {
          summary: text(),
          description: text(),
          start: when,
          end: when,
          attendees: list(shape({ email: text(), optional: flag })),
        },
        required: ['start', 'end'],
      }),
      operation('PATCH /calendar/v3/calendars/{calendarId}/events/{eventId}', 'update_event', 'Changes an event.', {
        body: { summary: text(), description: text(), start: when, end: when },
      }),
      operation('DELETE /calendar/v3/calendars/{calendarId}/events/{eventId}', 'delete_event', 'Deletes an event.'),
      operation(
        'POST /calendar/v3/calendars/{calendarId}/events/{eventId}/move',
        'move_event',
        'Moves an event to another calendar.',
        { query: { destination: text() }, required: ['destination'] },
      ),
    ],
  }),
}

export const googleDrive: Provider = {
  id: 'google-drive',
  name: 'Google Drive',
  category: 'files',
  description: 'Files that this application made or opened in Google Drive.',
  oauth,
  base_url: 'https://www.googleapis.com',
  scopes_required: [`${SCOPES}/drive.file`],
  models: [{ name: 'files', list: 'GET /drive/v3/files', items: 'files', id: 'id', size: 'pageSize', paging }],
  document: excerpt('Google Drive', {
    files: [
      operation('GET /drive/v3/files', 'list_files', 'Lists files.', {
        query: { q: text('Search as in Drive'), pageSize: count(1_000), ...page },
      }),
      operation('GET /drive/v3/files/{fileId}', 'get_file', 'Reads what a file is.'),
      operation('POST /drive/v3/files', 'create_file', 'Creates a file or a folder without content.', {
        body: { name: text(), mimeType: text(), parents: list(text()) },
        required: ['name'],
      }),
      operation('PATCH /drive/v3/files/{fileId}', 'update_file', 'Renames a file or moves it to the trash.', {
        body: { name: text(), trashed: flag },
      }),
      operation('DELETE /drive/v3/files/{fileId}', 'delete_file', 'Deletes a file for ever.'),
    ],
    permissions: [
      operation('GET /drive/v3/files/{fileId}/permissions', 'list_permissions', 'Lists who may open a file.'),
      operation('POST /drive/v3/files/{fileId}/permissions', 'create_permission', 'Shares a file.', {
        body: {
          role: text('reader, commenter, writer'),
          type: text('user, group, domain, anyone'),
          emailAddress: text(),
        },
        required: ['role', 'type'],
      }),
    ],
  }),
}
