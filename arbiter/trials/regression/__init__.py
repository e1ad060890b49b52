"""Sequential tests of a bot's new version: both versions on identical deals, until the answer is sure.

| module | job |
|---|---|
| `experiment` | what is compared, and how; a test's file |
| `program_identity` | a test's name in the store; digests of its programs |
| `blocks` | the players and matches of a block, and its score |
| `test_series` | tests that share one significance level |
| `trial_state` | blocks in order, faults, the verdict |
| `own_season` | finds, opens and plays the season of a test, suite, tuning or gauntlet in a store |
| `runner` | plays a test until its verdict, and reads it again |
"""
