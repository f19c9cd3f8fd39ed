"""Made-up card payments, one in a hundred a fraud: data for docs/how-to/rare-classes.md.

    python3 examples/payments.py > payments.csv
"""

import random

ROWS, SHARE = 20_000, 0.01


def main():
    draw = random.Random(1)
    print("amount,country,hour,new_device,kind")
    for _ in range(ROWS):
        fraud = draw.random() < SHARE
        amount = draw.lognormvariate(5.5 if fraud else 3.5, 1)
        country = draw.choice(["DE", "XX", "XX"] if fraud else ["DE", "FR", "IT", "XX"])
        hour = draw.choice([0, 1, 2, 3, 4, 23]) if fraud and draw.random() < 0.5 else draw.randint(6, 23)
        new_device = int(draw.random() < (0.6 if fraud else 0.08))
        print(f"{amount:.2f},{country},{hour},{new_device},{'fraud' if fraud else 'fine'}")


if __name__ == "__main__":
    main()
