"""Webhooks: what happens in a season, told to the addresses that its file names.

| module | job |
|---|---|
| `news` | an event as an object and a sentence, from what everybody may see |
| `payload_formats` | that object as the body of a request, for programs, Discord and Slack |
| `address_guard` | to which addresses a request may go |
| `http_post` | one signed request, and what its answer means |
| `sender` | the events of a season sent to one webhook, in their order |
| `notifier` | all webhooks of some seasons, each by itself, until it is stopped |
"""
