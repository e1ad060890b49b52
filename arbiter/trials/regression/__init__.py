"""Is the new version of a bot better? Two versions on identical deals, until the answer is sure.

| module | job |
|---|---|
| `experiment` | what is compared, and how; a test's file |
| `program_identity` | its name in the store; digests of the programs that it is made of |
| `blocks` | who meets, the matches of a block, and what they say about the two versions |
| `test_series` | tests that share one level |
| `trial_state` | blocks in their order, faults, the verdict |
| `own_season` | a season of a test, suite, tuning or gauntlet in a store: found, opened, its blocks played |
| `runner` | a test played there until its verdict, and read again |
"""
